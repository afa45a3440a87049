import Decimal from 'decimal.js';
import { concatMap, filter, from, map, of, pairwise, Subject, scan } from 'rxjs';
import { bareQuotes } from '../bare-quotes.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makeQuotes } from '../lib/quotes.mjs';

// The designs that lost, kept so that nobody has to find out again. Each replays the same quotes through the
// same two averages; none has a ledger, risk or matching: they are what the market path alone would cost.

const EVENTS = 200_000;
const SETTINGS = { fast: 150, slow: 600, steps: 100, cash: 1_000_000_000 };
const quotes = makeQuotes(EVENTS, 7);
const [bids, asks] = quotes.columns;

async function alternative(name, detail, run) {
  const bare = { events: EVENTS, run: () => bareQuotes(bids, asks, SETTINGS) };
  const { bareNs, nsPerEvent } = await measureBeside(bare, { events: EVENTS, run });
  return [row(name, EVENTS, nsPerEvent, bareNs, detail)];
}

function average(length) {
  const window = new Float64Array(length);
  let sum = 0;
  let at = 0;
  return (value) => {
    sum += value - window[at];
    window[at] = value;
    at = at + 1 === length ? 0 : at + 1;
    return sum;
  };
}

/** Prices as decimals, state as copied objects, the loop as a chain of operators. */
function rxjsAndDecimal() {
  const fast = average(SETTINGS.fast);
  const slow = average(SETTINGS.slow);
  let crosses = 0;
  from(bids)
    .pipe(
      map((bid, index) => ({ bid: new Decimal(bid), ask: new Decimal(asks[index]) })),
      map((quote) => ({ ...quote, mid: quote.bid.plus(quote.ask).div(2) })),
      scan((state, quote) => ({ ...state, quote, fast: fast(quote.mid.toNumber()), slow: slow(quote.mid.toNumber()) }), {}),
      map((state) => state.fast * SETTINGS.slow > state.slow * SETTINGS.fast),
      pairwise(),
      filter(([before, now]) => before !== now),
      concatMap(() => of(1)),
    )
    .subscribe(() => {
      crosses++;
    });
  return crosses;
}

/** Every event through one Subject with three subscribers: market state, matching, strategy. */
function subjectPerEvent() {
  const events$ = new Subject();
  const fast = average(SETTINGS.fast);
  const slow = average(SETTINGS.slow);
  let last;
  let above = 0;
  events$.subscribe((event) => {
    last = event;
  });
  events$.subscribe((event) => {
    if (event.bid > event.ask) throw new Error('crossed');
  });
  events$.subscribe(({ bid, ask }) => {
    if (fast(bid + ask) * SETTINGS.slow > slow(bid + ask) * SETTINGS.fast) above++;
  });
  for (let i = 0; i < EVENTS; i++) events$.next({ bid: bids[i], ask: asks[i], time: quotes.time[i] });
  return above + last.bid;
}

/** A frozen event: nobody can spoil it for the next reader, and each one pays for that. */
function frozenEvents() {
  const fast = average(SETTINGS.fast);
  const slow = average(SETTINGS.slow);
  let above = 0;
  for (let i = 0; i < EVENTS; i++) {
    const event = Object.freeze({ bid: bids[i], ask: asks[i], time: quotes.time[i] });
    if (fast(event.bid + event.ask) * SETTINGS.slow > slow(event.bid + event.ask) * SETTINGS.fast) above++;
  }
  return above;
}

/** A promise per event: what an `async` hook would cost. */
async function awaitPerEvent() {
  const fast = average(SETTINGS.fast);
  const slow = average(SETTINGS.slow);
  let above = 0;
  const hook = async (event) => fast(event.bid + event.ask) * SETTINGS.slow > slow(event.bid + event.ask) * SETTINGS.fast;
  for (let i = 0; i < EVENTS; i++) if (await hook({ bid: bids[i], ask: asks[i] })) above++;
  return above;
}

/** A JSON line for every market event. */
function jsonPerEvent() {
  let length = 0;
  for (let i = 0; i < EVENTS; i++) length += JSON.stringify({ kind: 'quote', time: quotes.time[i], bid: bids[i], ask: asks[i] }).length;
  return length;
}

export const ALTERNATIVES = {
  'lost-rxjs-decimal': () => alternative('lost-rxjs-decimal', 'operators, decimals and copied state', rxjsAndDecimal),
  'lost-subject': () => alternative('lost-subject', 'one Subject, three subscribers', subjectPerEvent),
  'lost-frozen': () => alternative('lost-frozen', 'Object.freeze on each event', frozenEvents),
  'lost-await': () => alternative('lost-await', 'one await an event', awaitPerEvent),
  'lost-json': () => alternative('lost-json', 'a JSON line an event', jsonPerEvent),
};
