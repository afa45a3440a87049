/**
 * Words that docs, help, messages and comments do without, and what to write. CONTRIBUTING.md has the reasons.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const FORBIDDEN = [
  [/\b(told|tells)\b/i, 'say who reports, sends or shows it'],
  [/\b(heard|hears)\b/i, 'received'],
  [/\breckon\w*/i, 'compute, count'],
  [/\bhangs? on\b/i, 'depends on'],
  [/\bbears?\b/i, 'has, is'],
  [/\b(is|are|was|were|be) asked again\b/i, 'the bot retries, queries again'],
  [/\b(at|to) hand\b/i, 'available'],
  [/\b(lets?|letting) go of\b/i, 'closes, removes, releases'],
  [/\bfor who\b/i, 'for those who, for a reader who'],
  [/(^|[.:;] +)Of (what|which|whom|contracts|futures|spot)\b/, 'For ...'],
  [/\b(orders?|stops?|exits?|positions?|triggers?)( that| which)? (stands?|stood)\b/i, 'is, rests, is open, remains'],
  [/^\s*(\/\*\*|\*|\/\/) (What|Who|Whatever|Whoever|Of) (?!.*\?)/, 'begin with the thing: The ..., For ...'],
  [/\bbeside\b/i, 'compare with, next to, in addition to'],
  [/\bwhoever\b/i, 'the one who, any strategy that'],
  [/\banew\b/i, 'again'],
  [/\bunder way\b/i, 'in progress, unfinished'],
  [/\bhung on\b/i, 'depended on'],
  [/\b(goes?|going) out (to|as|at|in|with|when|all)\b/i, 'is sent'],
  [/\bcomes? back\b/i, 'returns'],
  [/\btak(e|es|en) back\b/i, 'withdraws, restores'],
  [/\bjudged? by\b/i, 'checked, compared with'],
  [/\bput back\b/i, 'restore'],
  [/\bnobody (knows|asks|can tell)\b/i, 'it is unknown'],
];
/** Literal uses: where, and the text around them. */
const LITERAL = [
  // Keys that journals and the venue's memory of earlier versions have.
  ['src/venues/rest/futures/attribution/fill-reporter.ts', 'told'],
  ['src/journal/bot-journal.ts', 'heard: receivedIn'],
  ['src/journal/journal-record.ts', 'heard'],
  ['src/app/replay/compared-journal.ts', 'heard'],
  ['src/app/replay/replayed-run.ts', 'value.heard'],
];
const LONGEST_SENTENCE = 40;

/** Breaches of the word rules as `file:line: text`. `path` is relative to the project; Markdown has sentence lengths checked too. */
export function wordBreaches(path, text) {
  const lines = path.endsWith('.md') ? prose(text).split('\n') : text.split('\n');
  const found = lines.flatMap((line, index) =>
    FORBIDDEN.flatMap(([phrase, instead]) => {
      const hit = phrase.exec(line);
      if (hit === null || isLiteral(path, line)) return [];
      return [`${path}:${index + 1}: "${hit[0].trim()}": ${instead}`];
    }),
  );
  return path.endsWith('.md') ? [...found, ...longSentences(path, lines)] : found;
}

const isLiteral = (path, line) => LITERAL.some(([file, words]) => file === path && line.includes(words));

/** Markdown without code, link targets and HTML; every line keeps its number. */
function prose(text) {
  const blank = (match) => match.replace(/[^\n]/g, '');
  return text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/^---\n[\s\S]*?^---$/m, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]*`/g, 'code')
    .replace(/\]\([^)\n]*\)/g, ']');
}

/** A sentence ends at a full stop, a question mark, a cell of a table, a list item or a paragraph. */
function longSentences(path, lines) {
  const found = [];
  let words = 0;
  let start = 1;
  const end = () => {
    if (words > LONGEST_SENTENCE) found.push(`${path}:${start}: a sentence of ${words} words, over ${LONGEST_SENTENCE}: make two`);
    words = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (/^\s*($|[-*#>|]|\d+\.\s)/.test(line)) end();
    for (const [at, part] of line.split(/(?<=[.?!][)*"]*)\s+|\s*\|\s*/).entries()) {
      if (at > 0) end();
      if (words === 0) start = index + 1;
      words += part.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    }
    if (/[.?!][)*"]*\s*$|:\s*$/.test(line)) end();
  }
  end();
  return found;
}
