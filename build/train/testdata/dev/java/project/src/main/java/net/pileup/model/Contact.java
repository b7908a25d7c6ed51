package net.pileup.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** One contact (QSO) in the log. */
public class Contact {

    /** How the contact was made. */
    public enum Mode {
        CW,
        SSB,
        RTTY,
        FT8
    }

    public static final int MAX_SERIAL = 9999;
    public static final String DEFAULT_REPORT = "599";

    private final Callsign partner;
    private final Band band;
    private final Mode mode;
    private final Instant time;
    private String sentReport = DEFAULT_REPORT;
    private String rcvdReport = DEFAULT_REPORT;
    private int serial;
    private String grid;
    protected String remark;

    public Contact(Callsign partner, Band band, Mode mode, Instant time) {
        this.partner = Objects.requireNonNull(partner);
        this.band = Objects.requireNonNull(band);
        this.mode = Objects.requireNonNull(mode);
        this.time = time;
    }

    public Callsign partner() {
        return partner;
    }

    public Band band() {
        return band;
    }

    public Mode mode() {
        return mode;
    }

    public Instant time() {
        return time;
    }

    public int serial() {
        return serial;
    }

    public String grid() {
        return grid;
    }

    public void setGrid(String grid) {
        this.grid = grid;
    }

    public void assignSerial(int serial) {
        if (serial < 1 || serial > MAX_SERIAL) {
            throw new IllegalArgumentException("serial out of range: " + serial);
        }
        this.serial = serial;
    }

    /** Sets the exchanged signal reports. */
    public void exchange(String sent, String received) {
        this.sentReport = sent;
        this.rcvdReport = received;
    }

    public String sentReport() {
        return sentReport;
    }

    public String rcvdReport() {
        return rcvdReport;
    }

    /** True when the same station was worked on the same band and mode. */
    public boolean isDupeOf(Contact other) {
        return partner.base().equals(other.partner.base()) && band == other.band && mode == other.mode;
    }

    public boolean within(Contact other, Duration window) {
        Duration gap = Duration.between(time, other.time).abs();
        return gap.compareTo(window) <= 0;
    }

    public String describe() {
        String head = time + " " + partner.text();
        String tail = band.label() + " " + mode + " " + sentReport + "/" + rcvdReport;
        if (remark != null) {
            tail = tail + " # " + remark;
        }
        return head + " " + tail;
    }

    boolean hasGrid() {
        return grid != null && grid.length() >= 4;
    }

    private String serialText() {
        return String.format("%04d", serial);
    }

    public void annotate(String text, String author) {
        this.remark = text;
    }
}
