package net.pileup.io;

import net.pileup.model.Contact;
import net.pileup.model.Callsign;
import java.io.IOException;
import java.util.List;
import java.io.Writer;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;

/** Writes Cabrillo 3.0 files. */
public class CabrilloWriter {

    private static final String VERSION = "3.0";
    private static final int EXCHANGE_WIDTH = 6;
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HHmm").withZone(ZoneOffset.UTC);

    private final Callsign own;
    private final String contest;
    private String category = "SINGLE-OP";
    private int written;

    public CabrilloWriter(Callsign own, String contest) {
        this.own = own;
        this.contest = contest;
    }

    public void write(Writer out, List<Contact> contacts, boolean sorted) throws IOException {
        line(out, "START-OF-LOG: " + VERSION);
        line(out, "CALLSIGN: " + own.text());
        line(out, "CONTEST: " + contest);
        line(out, "CATEGORY-OPERATOR: " + category);
        for (Contact c : contacts) {
            line(out, qsoLine(c));
            written++;
        }
        line(out, "END-OF-LOG:");
        System.out.println("wrote " + written + " lines");
        out.flush();
    }

    String qsoLine(Contact c) {
        int khz = (c.band().lowKhz() + c.band().highKhz()) / 2;
        return "QSO: " + pad(String.valueOf(khz), 5) + " " + modeCode(c.mode()) + " "
                + STAMP.format(c.time()) + " " + pad(own.text(), 13) + " " + exchange(c.sentReport(), c.serial())
                + " " + pad(c.partner().text(), 13) + " " + c.rcvdReport();
    }

    private static String modeCode(Contact.Mode mode) {
        switch (mode) {
            case CW:
                return "CW";
            case SSB:
                return "PH";
            case RTTY:
                return "RY";
            case FT8:
                return "DG";
            default:
                throw new IllegalStateException("unknown mode " + mode);
        }
    }

    private static String exchange(String report, int serial) {
        return report + " " + pad(String.valueOf(serial), EXCHANGE_WIDTH);
    }

    static String pad(String text, int width) {
        StringBuilder sb = new StringBuilder(text);
        while (sb.length() < width) {
            sb.append(' ');
        }
        return sb.toString();
    }

    private void line(Writer out, String text) throws IOException {
        out.write(text);
        out.write("\r\n");
    }

    public void setCategory(String category) {
        this.category = category;
    }

    public int written() {
        return written;
    }

    private static String quote(String text) {
        return '"' + text.replace("\"", "'") + '"';
    }

    public void close(Writer out) {
        try {
            out.close();
        } catch (IOException e) {
            // nothing we can do
        }
    }
}
