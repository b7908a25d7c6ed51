package net.pileup.io;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;

import net.pileup.model.Band;
import net.pileup.model.Callsign;
import net.pileup.model.Contact;

/** Reads logs in the ADIF format. */
public class AdifReader {

    private static final Logger LOG = Logger.getLogger(AdifReader.class.getName());
    private static final int BUFFER_SIZE = 4096;
    private static final String END_OF_HEADER = "EOH";
    private static final String END_OF_RECORD = "EOR";
    static final int MAX_FIELD_LENGTH = 512;

    private final boolean lenient;
    private int skipped;
    private int lineNo;

    public AdifReader(boolean lenient) {
        this.lenient = lenient;
    }

    public List<Contact> readAll(Reader in) throws IOException {
        String text = slurp(in);
        List<Contact> result = new ArrayList<>();
        Map<String, String> record = new HashMap<>();
        int pos = 0;
        while (true) {
            int open = text.indexOf('<', pos);
            if (open < 0) {
                break;
            }
            int close = text.indexOf('>', open);
            if (close < 0) {
                break;
            }
            String tag = text.substring(open + 1, close).toUpperCase(Locale.ROOT);
            System.out.println("tag " + tag);
            pos = close + 1;
            if (tag.equals(END_OF_HEADER)) {
                record.clear();
            } else if (tag.equals(END_OF_RECORD)) {
                addRecord(record, result);
                record.clear();
            } else {
                String[] parts = tag.split(":");
                int length = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
                if (length > MAX_FIELD_LENGTH) {
                    throw new IOException("field too long: " + tag);
                }
                record.put(parts[0], text.substring(pos, pos + length));
                pos += length;
            }
        }
        LOG.info("read " + result.size() + " contacts, skipped " + skipped);
        return result;
    }

    private void addRecord(Map<String, String> record, List<Contact> result) {
        try {
            result.add(toContact(record, 0));
        } catch (RuntimeException e) {
            if (!lenient) {
                throw e;
            }
            skipped++;
            System.out.println("DEBUG skipped record " + record);
        }
    }

    private Contact toContact(Map<String, String> record, int index) {
        Callsign call = Callsign.parse(record.get("CALL"));
        Band band = Band.parse(record.getOrDefault("BAND", "20m"));
        Contact.Mode mode = Contact.Mode.valueOf(record.getOrDefault("MODE", "CW"));
        Contact c = new Contact(call, band, mode, parseTime(record.get("QSO_DATE"), record.get("TIME_ON")));
        c.exchange(record.getOrDefault("RST_SENT", "599"), record.getOrDefault("RST_RCVD", "599"));
        if (record.containsKey("STX")) {
            c.assignSerial(Integer.parseInt(record.get("STX")));
        }
        c.setGrid(record.get("GRIDSQUARE"));
        return c;
    }

    static Instant parseTime(String date, String time) {
        String hhmm = time == null ? "0000" : time.substring(0, 4);
        LocalDateTime t = LocalDateTime.parse(date + hhmm, DateTimeFormatter.ofPattern("yyyyMMddHHmm"));
        return t.toInstant(ZoneOffset.UTC);
    }

    private String slurp(Reader in) throws IOException {
        StringBuilder sb = new StringBuilder();
        char[] buf = new char[BUFFER_SIZE];
        BufferedReader br = new BufferedReader(in);
        int n;
        while ((n = br.read(buf)) > 0) {
            sb.append(buf, 0, n);
        }
        return sb.toString();
    }

    public int skipped() {
        return skipped;
    }

    private boolean looksLikeAdif(String text) {
        return text.contains("<" + END_OF_HEADER) || text.contains("<CALL:");
    }

    public void reset() {
        skipped = 0;
        lineNo = 0;
    }
}
