package net.pileup.util;

import java.util.Arrays;
import java.util.Locale;

/** Maidenhead locators: "JO62" and the like. */
public final class Grid {

    private static final double EARTH_RADIUS_KM = 6371.0;
    private static final int FIELD_WIDTH = 20;
    private static final int FIELD_HEIGHT = 10;

    private final double lat;
    private final double lon;

    public Grid(double lat, double lon) {
        this.lat = lat;
        this.lon = lon;
    }

    public static Grid parse(String locator) {
        String s = locator.trim().toUpperCase(Locale.ROOT);
        if (s.length() < 4) {
            throw new IllegalArgumentException("locator too short: " + locator);
        }
        double lon = (s.charAt(0) - 'A') * FIELD_WIDTH - 180 + (s.charAt(2) - '0') * 2 + 1;
        double lat = (s.charAt(1) - 'A') * FIELD_HEIGHT - 90 + (s.charAt(3) - '0') + 0.5;
        return new Grid(lat, lon);
    }

    public double lat() {
        return lat;
    }

    public double lon() {
        return lon;
    }

    public double distanceKm(Grid other) {
        double dLat = Math.toRadians(other.lat - lat);
        double dLon = Math.toRadians(other.lon - lon);
        double a = Math.sin(dLat / 2) * Math.sin(dLat / 2)
                + Math.cos(Math.toRadians(lat)) * Math.cos(Math.toRadians(other.lat))
                * Math.sin(dLon / 2) * Math.sin(dLon / 2);
        return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(a));
    }

    /** Beam heading towards the other locator, in degrees. */
    public double bearing(Grid other) {
        double dLon = Math.toRadians(other.lon - lon);
        double y = Math.sin(dLon) * Math.cos(Math.toRadians(other.lat));
        double x = Math.cos(Math.toRadians(lat)) * Math.sin(Math.toRadians(other.lat))
                - Math.sin(Math.toRadians(lat)) * Math.cos(Math.toRadians(other.lat)) * Math.cos(dLon);
        double deg = Math.toDegrees(Math.atan2(y, x));
        return (deg + 360) % 360;
    }

    public double longPath(Grid other) {
        double shortPath = bearing(other);
        return (shortPath + 180) % 360;
    }

    public String format() {
        int lonCell = (int) (lon + 180);
        int latCell = (int) (lat + 90);
        return "" + (char) ('A' + lonCell / FIELD_WIDTH) + (char) ('A' + latCell / FIELD_HEIGHT)
                + (lonCell % FIELD_WIDTH) / 2 + latCell % FIELD_HEIGHT;
    }

    static boolean isValid(String locator, boolean strict) {
        if (locator != null) {
            if (locator.length() == 4 || locator.length() == 6) {
                if (Character.isLetter(locator.charAt(0)) && Character.isLetter(locator.charAt(1))) {
                    return Character.isDigit(locator.charAt(2)) && Character.isDigit(locator.charAt(3));
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return format();
    }
}
