package net.pileup.score;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import net.pileup.model.Contact;

/** The running score of one entry. */
public class ScoreCard {

    private static final Duration RATE_WINDOW = Duration.ofMinutes(10);
    private static final int WARN_RATE = 30;

    private final ScoringRule rule;
    private final Set<String> multipliers = new LinkedHashSet<>();
    private int points;
    private int contacts;
    private int dupes;
    private Instant last;

    public ScoreCard(ScoringRule rule) {
        this.rule = rule;
    }

    public void add(Contact contact, boolean dupe) {
        contacts++;
        if (dupe) {
            dupes++;
        } else {
            if (rule.countsOn(contact.band())) {
                points += rule.points(contact);
                String m = rule.multiplier(contact);
                if (m != null) {
                    if (multipliers.add(m)) {
                        System.out.println("new mult " + m);
                    }
                }
            }
        }
        last = contact.time();
    }

    public int total() {
        return points * Math.max(1, multipliers.size());
    }

    public double dupeRatio() {
        if (contacts == 0) {
            return 0;
        }
        return dupes * 100.0 / contacts;
    }

    /** Contacts an hour, from those of the last ten minutes. */
    public int rate(List<Contact> log, Instant now) {
        int n = 0;
        for (Contact c : log) {
            if (Duration.between(c.time(), now).compareTo(RATE_WINDOW) <= 0) {
                n++;
            }
        }
        int perHour = n * 6;
        if (perHour < WARN_RATE) {
            System.err.println("rate is low: " + perHour);
        }
        return perHour;
    }

    public String summary() {
        String s = rule.title() + "\n";
        s += "contacts: " + contacts + " (" + dupes + " dupes)\n";
        s += "points: " + points + ", multipliers: " + multipliers.size() + "\n";
        s += "score: " + total();
        return s;
    }

    public void reset() {
        points = 0;
        contacts = 0;
        dupes = 0;
        multipliers.clear();
        last = null;
    }

    private boolean isIdle(Instant now) {
        return last == null || Duration.between(last, now).toMinutes() > 45;
    }
}
