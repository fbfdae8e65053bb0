package bridge.jvm;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.api.java.UDF1;

/**
 * Lets Python call compiled classes in this JVM: a socket on this machine, for whoever knows the secret.
 *
 * A connection says the secret and the names of its jars, then it sends scripts of `PayloadCalls`, a line each, and
 * gets an answer a line. As a function of any column it gives the port, so that a Python worker learns it from the
 * executor that it works for.
 */
public final class CallServer implements UDF1 {
    private static final int WAITING = 64;
    private static final Map PORTS = new HashMap();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String secret;
    private transient Integer port;

    public CallServer(String secret) {
        this.secret = secret;
    }

    public Object call(Object anything) throws Exception {
        if (port == null) {
            port = Integer.valueOf(portFor(secret));
        }
        return port;
    }

    /** Returns the port of the server for a secret, which starts with the first question; one a secret and JVM. */
    public static int portFor(String secret) throws IOException {
        synchronized (PORTS) {
            Integer found = (Integer) PORTS.get(secret);
            if (found == null) {
                ServerSocket socket = new ServerSocket(0, WAITING, InetAddress.getByName("127.0.0.1"));
                start(new Listener(socket, secret.getBytes("UTF-8")));
                found = Integer.valueOf(socket.getLocalPort());
                PORTS.put(secret, found);
            }
            return found.intValue();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "payload-bridge-calls");
        thread.setDaemon(true);
        thread.start();
    }

    private static final class Listener implements Runnable {
        private final ServerSocket socket;
        private final byte[] secret;

        Listener(ServerSocket socket, byte[] secret) {
            this.socket = socket;
            this.secret = secret;
        }

        public void run() {
            while (true) {
                try {
                    start(new Connection(socket.accept(), secret));
                } catch (IOException refused) {
                    // A caller that is gone already; the next one may come.
                    continue;
                }
            }
        }
    }

    private static final class Connection implements Runnable {
        private final Socket socket;
        private final byte[] secret;

        Connection(Socket socket, byte[] secret) {
            this.socket = socket;
            this.secret = secret;
        }

        public void run() {
            try {
                serve();
            } catch (IOException gone) {
                // The worker has ended, and so does this.
                return;
            } finally {
                try {
                    socket.close();
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void serve() throws IOException {
            socket.setTcpNoDelay(true);
            byte[] said = new byte[secret.length];
            new DataInputStream(socket.getInputStream()).readFully(said);
            if (!MessageDigest.isEqual(said, secret)) {
                return;
            }
            BufferedReader requests = new BufferedReader(new InputStreamReader(socket.getInputStream(), "UTF-8"));
            PrintStream answers = new PrintStream(socket.getOutputStream(), false, "UTF-8");
            Function target = null;
            for (String request = requests.readLine(); request != null; request = requests.readLine()) {
                String answer;
                try {
                    if (target == null) {
                        target = calls((List) JSON.readValue(request, List.class));
                        answer = "{}";
                    } else {
                        answer = (String) target.apply(request);
                    }
                } catch (Throwable failed) {
                    Throwable cause = failed instanceof InvocationTargetException ? failed.getCause() : failed;
                    answer = JSON.writeValueAsString(Collections.singletonMap("failed", cause.toString()));
                }
                // With the line's end in one piece, so that it travels in one packet.
                answers.print(answer + "\n");
                answers.flush();
            }
        }

        private static Function calls(List jars) throws Exception {
            Class calls = JarLoader.ofSentFiles(jars).loadClass("bridge.jvm.PayloadCalls");
            return (Function) calls.getConstructor(new Class[0]).newInstance(new Object[0]);
        }
    }
}
