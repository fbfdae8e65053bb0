package bridge.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Standard output of a JVM in which classes of users run: what they print goes to standard error, up to a limit.
 *
 * Theirs is what a thread prints whose context class loader is one of jars: that of a call, or one that it started.
 */
final class Printed extends OutputStream {
    private static final int MOST = 65536;
    private static final String MORE = "(the classes of the jars print more than " + MOST
        + " bytes to standard output; the rest is left out)\n";
    private static boolean isInstalled;

    private final PrintStream others;
    private int size;

    private Printed(PrintStream others) {
        this.others = others;
    }

    /** Separates the two in this JVM, once. */
    static synchronized void install() {
        if (!isInstalled) {
            isInstalled = true;
            System.setOut(new PrintStream(new Printed(System.out), true));
        }
    }

    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    public void write(byte[] bytes, int from, int length) throws IOException {
        if (!(Thread.currentThread().getContextClassLoader() instanceof JarLoader)) {
            others.write(bytes, from, length);
            return;
        }
        synchronized (this) {
            int left = MOST - size;
            if (left <= 0) {
                return;
            }
            size += length;
            System.err.write(bytes, from, Math.min(left, length));
            if (size >= MOST) {
                System.err.print("\n" + MORE);
            }
            System.err.flush();
        }
    }

    public void flush() {
        others.flush();
    }
}
