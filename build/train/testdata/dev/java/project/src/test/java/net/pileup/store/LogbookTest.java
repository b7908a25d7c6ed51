package net.pileup.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;

import net.pileup.model.Band;
import net.pileup.model.Callsign;
import net.pileup.model.Contact;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogbookTest {

    private static final Instant START = Instant.parse("2024-11-23T00:00:00Z");

    private Logbook book;

    @BeforeEach
    void setUp() {
        Path file = Paths.get("build", "test.log");
        book = new Logbook(file);
    }

    private Contact qso(String call, Band band, long minute) {
        return new Contact(Callsign.parse(call), band, Contact.Mode.CW, START.plusSeconds(minute * 60));
    }

    @Test
    void findsDupes() throws Exception {
        assertFalse(book.add(qso("DL1ABC", Band.M20, 0), true));
        assertTrue(book.add(qso("DL1ABC/P", Band.M20, 5), true));
        assertFalse(book.add(qso("DL1ABC", Band.M40, 9), true));
    }

    @Test
    void countsPerBand() throws Exception {
        book.add(qso("G3XYZ", Band.M15, 0), false);
        book.add(qso("F5NQL", Band.M15, 1), false);
        assertEquals(2, book.countOn(Band.M15));
        assertEquals(0, book.countOn(Band.M10));
    }

    @Test
    void dropsDoubles() throws Exception {
        book.add(qso("OK1AAA", Band.M80, 0), true);
        book.add(qso("OK1AAA", Band.M80, 1), true);
        assertEquals(1, book.dropDoubles(Duration.ofMinutes(2), true));
        assertEquals(1, book.size());
    }

    @Test
    void listsWorked() throws Exception {
        book.add(qso("EA8/DL1ABC", Band.M10, 0), true);
        assertEquals(1, book.worked(Callsign.parse("DL1ABC")).size());
    }
}
