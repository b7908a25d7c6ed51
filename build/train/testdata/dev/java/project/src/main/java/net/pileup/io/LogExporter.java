package net.pileup.io;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

import net.pileup.model.Contact;

/** Something that writes a log in a format that contest organisers take. */
public interface LogExporter {

    String LINE_END = "\r\n";

    /** Writes the lines that come before the contacts. */
    void writeHeader(Writer out) throws IOException;

    void writeContact(Writer out, Contact contact) throws IOException;

    /** The file name extension, without the dot. */
    String extension();

    /** What an export may be told. */
    class Options {
        public Charset charset = StandardCharsets.US_ASCII;
        public boolean skipDupes;
        public boolean includeRemarks = true;
        String soapbox = "";
        private int maxLines = 20000;

        public Options charset(Charset charset) {
            this.charset = charset;
            return this;
        }

        public Options soapbox(String text) {
            this.soapbox = text;
            return this;
        }

        public int maxLines() {
            return maxLines;
        }

        public boolean accepts(List<Contact> contacts) {
            return contacts.size() <= maxLines;
        }

        public static Options strict() {
            Options o = new Options();
            o.skipDupes = true;
            o.includeRemarks = false;
            return o;
        }
    }

    static String fileName(String call, String extension) {
        return call.toLowerCase().replace('/', '-') + "." + extension;
    }
}
