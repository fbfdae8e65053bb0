package bridge.jvm;

import java.time.LocalDate;
import java.sql.Timestamp;
import java.util.List;

/** What an ordering value becomes on its way through a delete block of a log: bridge/merge/delete_block.py. */
final class DeleteBlock {
    private DeleteBlock() {
    }

    /** Returns an ordering value as a reader of the block gets it; `since10`: in release 1.0 and later. */
    static Comparable readBack(Comparable value, boolean since10) {
        if (!since10) {
            return OrderingText.readBack(value);
        }
        List elements = Tuples.elements(value);
        if (elements == null) {
            if (value instanceof LocalDate) {
                throw new RecordError("a delete with an ordering value of type " + value.getClass().getName()
                    + " can't be written to a log; use another ordering field");
            }
            return element(value);
        }
        Comparable[] read = new Comparable[elements.size()];
        for (int i = 0; i < read.length; i++) {
            read[i] = element((Comparable) elements.get(i));
        }
        return Tuples.of(read);
    }

    private static Comparable element(Comparable value) {
        return value == null || value instanceof Timestamp ? value : OrderingText.readBack(value);
    }
}
