package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.Constants.RuleKey;
import bridge.jvm.Constants.RuleKnown;
import bridge.jvm.Constants.RuleNode;
import bridge.jvm.Constants.RuleWord;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A merge rule on two versions: payloads/rules, as mergers/rules/records.py interprets it.
 *
 * It is read once a job, and refused there for a node, a field or a word that is not known here.
 */
final class MergeRule {
    private static final Set NODES = new HashSet(Arrays.asList(RuleKnown.NODES));
    private static final Set FIELDS = new HashSet(Arrays.asList(RuleKnown.FIELDS));
    private static final Set WORDS = new HashSet(Arrays.asList(RuleKnown.WORDS));

    private final boolean comparesOrdering;
    private final boolean tieIsNewer;
    private final boolean isReversed;
    private final boolean unlikeWins;
    private final boolean testsMarks;
    private final Test[] tests;
    private final String[] gives;
    private final String otherwise;

    MergeRule(Map rule) {
        checkNode(rule, RuleNode.MERGE_RULE);
        Map later = (Map) rule.get("later");
        comparesOrdering = later != null && !is(later, RuleNode.BY_ARRIVAL);
        if (comparesOrdering) {
            checkNode(later, RuleNode.BY_ORDERING);
        }
        tieIsNewer = !comparesOrdering || later.get("tie") == null || word(later.get("tie")).equals(RuleWord.NEWER);
        isReversed = comparesOrdering && Boolean.TRUE.equals(later.get("reverse"));
        unlikeWins = comparesOrdering && Boolean.TRUE.equals(later.get("unlike_wins"));
        Map deletes = (Map) rule.get("deletes");
        if (deletes != null) {
            checkNode(deletes, RuleNode.DELETE_TESTS);
        }
        testsMarks = deletes != null && Boolean.TRUE.equals(deletes.get("marked"));
        List cases = (List) rule.get("cases");
        tests = new Test[cases == null ? 0 : cases.size()];
        gives = new String[tests.length];
        for (int i = 0; i < tests.length; i++) {
            Map one = (Map) cases.get(i);
            checkNode(one, RuleNode.CASE);
            tests[i] = new Test((Map) one.get("when"));
            gives[i] = word(one.get("gives"));
        }
        otherwise = rule.get("otherwise") == null ? RuleWord.WINNER : word(rule.get("otherwise"));
    }

    /** Merges two versions; gives one of them. */
    Buffered merged(Buffered older, Buffered newer) {
        String effect = otherwise;
        for (int i = 0; i < tests.length; i++) {
            if (holds(tests[i], older, newer)) {
                effect = gives[i];
                break;
            }
        }
        switch (effect) {
            case RuleWord.CURRENT:
                return older;
            case RuleWord.INCOMING:
                return newer;
            case RuleWord.WINNER:
                return newerIsLater(older, newer) ? newer : older;
            default:
                throw unknown(effect);
        }
    }

    private boolean newerIsLater(Buffered older, Buffered newer) {
        if (!comparesOrdering) {
            return true;
        }
        if (older.ordering == null || newer.ordering == null) {
            throw new RecordError("a version has a null ordering value; fill the ordering field");
        }
        if (unlikeWins && !Tuples.isSameClass(older.ordering, newer.ordering)) {
            return true;
        }
        int order = older.ordering.compareTo(newer.ordering);
        return order == 0 ? tieIsNewer : order < 0 != isReversed;
    }

    private boolean holds(Test test, Buffered older, Buffered newer) {
        switch (test.node) {
            case RuleNode.IS_EMPTY:
                return !side(test.role, older, newer).hasData();
            case RuleNode.IS_DELETE:
                Buffered version = side(test.role, older, newer);
                return !version.hasData() || testsMarks && version.isDelete;
            case RuleNode.IS_NATURAL:
                return Integer.valueOf(0).equals(side(test.role, older, newer).ordering);
            case RuleNode.IS_UNORDERED:
                return side(test.role, older, newer).ordering == null;
            case RuleNode.LATER_IS:
                return newerIsLater(older, newer) == test.role.equals(RuleWord.NEWER);
            case RuleNode.ALL_OF:
                for (int i = 0; i < test.tests.length; i++) {
                    if (!holds(test.tests[i], older, newer)) {
                        return false;
                    }
                }
                return true;
            case RuleNode.ANY_OF:
                for (int i = 0; i < test.tests.length; i++) {
                    if (holds(test.tests[i], older, newer)) {
                        return true;
                    }
                }
                return false;
            case RuleNode.NOT:
                return !holds(test.tests[0], older, newer);
            default:
                throw unknown(test.node);
        }
    }

    private Buffered side(String role, Buffered older, Buffered newer) {
        switch (role) {
            case RuleWord.OLDER:
                return older;
            case RuleWord.NEWER:
                return newer;
            case RuleWord.LATER:
                return newerIsLater(older, newer) ? newer : older;
            default:
                return newerIsLater(older, newer) ? older : newer;
        }
    }

    /** A test of the versions, read. */
    private static final class Test {
        final String node;
        final String role;
        final Test[] tests;

        Test(Map test) {
            node = (String) test.get(RuleKey.NODE);
            checkNode(test, node);
            role = test.get("role") == null ? null : word(test.get("role"));
            Object inner = test.get("test");
            List parts = inner == null ? (List) test.get("tests") : Arrays.asList(new Object[] {inner});
            tests = new Test[parts == null ? 0 : parts.size()];
            for (int i = 0; i < tests.length; i++) {
                tests[i] = new Test((Map) parts.get(i));
            }
        }
    }

    // -- what is known here

    private static boolean is(Map node, String name) {
        return name.equals(node.get(RuleKey.NODE));
    }

    private static void checkNode(Map node, String name) {
        if (!is(node, name) || !NODES.contains(name)) {
            throw unknown(node.get(RuleKey.NODE));
        }
        for (Iterator fields = node.keySet().iterator(); fields.hasNext();) {
            Object field = fields.next();
            if (!field.equals(RuleKey.NODE) && !FIELDS.contains(name + "." + field)) {
                throw unknown(name + "." + field);
            }
        }
    }

    private static String word(Object written) {
        Map named = (Map) written;
        if (!WORDS.contains(named.get(RuleKey.WORD))) {
            throw unknown(named.get(named.containsKey(RuleKey.WORD) ? RuleKey.WORD : RuleKey.NODE));
        }
        return (String) named.get(RuleKey.WORD);
    }

    private static RecordError unknown(Object name) {
        return new RecordError("Java does not have " + name + " of merge rules; use the python engine");
    }
}
