package net.pileup.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Logger;

import net.pileup.model.Band;
import net.pileup.model.Callsign;

/** Talks to a DX cluster node and collects the spots it sends. */
public class ClusterClient {

    private static final Logger LOG = Logger.getLogger(ClusterClient.class.getName());

    public static final int DEFAULT_PORT = 7300;
    private static final int CONNECT_TIMEOUT_MS = 5000;
    private static final int MAX_SPOTS = 200;
    private static final String LOGIN_PROMPT = "login:";

    /** Where the connection stands. */
    public enum State {
        IDLE,
        CONNECTING,
        READY,
        CLOSED
    }

    /** Told about each new spot. */
    public interface SpotListener {
        void onSpot(Spot spot);

        void onStateChange(State from, State to);
    }

    /** A station heard by somebody. */
    public static class Spot {
        final Callsign call;
        final int khz;
        final String spotter;
        String comment;

        Spot(Callsign call, int khz, String spotter) {
            this.call = call;
            this.khz = khz;
            this.spotter = spotter;
        }

        public Band band() {
            return Band.ofFrequency(khz);
        }

        public String describe() {
            return call.text() + " on " + khz + " by " + spotter;
        }
    }

    private final String host;
    private final int port;
    private Socket socket;
    private State state = State.IDLE;
    private final List<Spot> spots = new ArrayList<>();
    private int retries;

    public ClusterClient(String host, int port) {
        this.host = host;
        this.port = port;
    }

    public void connect(Callsign own) throws IOException {
        state = State.CONNECTING;
        System.out.println("connecting to " + host + ":" + port);
        socket = new Socket(host, port);
        socket.setSoTimeout(CONNECT_TIMEOUT_MS);
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true);
        out.println(own.text());
        state = State.READY;
        LOG.info("logged in at " + host + " as " + own.text());
    }

    public void poll() throws IOException {
        BufferedReader in = new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String line;
        try {
            while ((line = in.readLine()) != null) {
                if (line.startsWith("DX de ")) {
                    Spot spot = parseLine(line);
                    if (spot != null) {
                        if (spots.size() < MAX_SPOTS) {
                            spots.add(spot);
                        }
                    }
                }
            }
        } catch (SocketTimeoutException e) {
            retries++;
        }
    }

    static Spot parseLine(String line) {
        int colon = line.indexOf(':');
        if (colon < 0) {
            return null;
        }
        String spotter = line.substring(6, colon).trim();
        String[] words = line.substring(colon + 1).trim().split("\\s+");
        if (words.length < 2) {
            return null;
        }
        int khz = (int) Math.round(Double.parseDouble(words[0]));
        return new Spot(Callsign.parse(words[1]), khz, spotter);
    }

    public List<Spot> spots() {
        return Collections.unmodifiableList(spots);
    }

    public String status() {
        switch (state) {
            case IDLE:
                return "not connected";
            case CONNECTING:
                return "connecting to " + host + ":" + port;
            case READY:
                return "connected to " + host + ":" + port + ", " + spots.size() + " spots";
            case CLOSED:
                return "closed";
            default:
                return "?";
        }
    }

    private void backOff() {
        try {
            Thread.sleep(250L * retries);
        } catch (InterruptedException e) {
        }
    }

    public void close() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
        }
        state = State.CLOSED;
    }
}
