package net.pileup.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The amateur bands a contest log may contain. */
public enum Band {
    M160(1800, 2000),
    M80(3500, 3800),
    M40(7000, 7200),
    M20(14000, 14350),
    M15(21000, 21450),
    M10(28000, 29700);

    private static final int KHZ_PER_MHZ = 1000;

    private final int lowKhz;
    private final int highKhz;

    Band(int lowKhz, int highKhz) {
        this.lowKhz = lowKhz;
        this.highKhz = highKhz;
    }

    public int lowKhz() {
        return lowKhz;
    }

    public int highKhz() {
        return highKhz;
    }

    public boolean contains(int khz) {
        return khz >= lowKhz && khz <= highKhz;
    }

    public static Band ofFrequency(int khz) {
        for (Band b : values()) {
            if (b.contains(khz)) {
                return b;
            }
        }
        throw new IllegalArgumentException("no band at " + khz + " kHz");
    }

    /** Reads "20m", "M20" or a frequency in MHz. */
    public static Band parse(String text) {
        String t = text.trim().toUpperCase(Locale.ROOT);
        if (t.endsWith("M")) {
            t = "M" + t.substring(0, t.length() - 1);
        }
        if (t.contains(".")) {
            return ofFrequency((int) Math.round(Double.parseDouble(t) * KHZ_PER_MHZ));
        }
        return valueOf(t);
    }

    public String describe() {
        return label() + " (" + lowKhz + "-" + highKhz + " kHz)";
    }

    public String label() {
        return name().substring(1) + "m";
    }

    /** Whether the band is mostly used in darkness. */
    boolean isLowBand() {
        return this == M160 || this == M80 || this == M40;
    }

    static List<Band> highBands() {
        List<Band> result = new ArrayList<>();
        for (Band b : values()) {
            if (!b.isLowBand()) {
                result.add(b);
            }
        }
        return result;
    }
}
