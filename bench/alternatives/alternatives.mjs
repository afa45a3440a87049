import Decimal from 'decimal.js';
import { concatMap, filter, from, map, of, pairwise, Subject, scan } from 'rxjs';
import { exactSum, Decimal as Money } from '../../dist/model/decimal.js';
import { bareQuotes } from '../bare-quotes.mjs';
import { measureBeside, row } from '../lib/measure.mjs';
import { makeQuotes } from '../lib/quotes.mjs';

// The designs that lost, kept so that nobody has to find out again. Each replays the same quotes through the
// same two averages; none has a ledger, risk or matching: they are what the market path alone would cost.

const EVENTS = 200_000;
const SETTINGS = { fast: 150, slow: 600, steps: 100, cash: 1_000_000_000 };
const quotes = makeQuotes(EVENTS, 7);
const [bids, asks] = quotes.columns;
const AMOUNTS = Array.from(bids, (bid, index) => new Decimal(bid).times(asks[index]).div(10_000));

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

/** Money summed by adding decimals one after the other: `ExactSum` adds their words (decision 22). */
function decimalSums() {
  let sum = new Decimal(0);
  for (const amount of AMOUNTS) sum = sum.plus(amount);
  return sum;
}

/** The same as scaled BigInts, made from the text of each amount. */
function bigIntSums() {
  let sum = 0n;
  for (const amount of AMOUNTS) sum += BigInt(amount.toFixed(8).replace('.', ''));
  return sum;
}

function wordSums() {
  return exactSum(AMOUNTS, (amount) => amount);
}

/** The money of a fill: its notional, its fee, two entries of the ledger and the text of the balance (decision 24). */
function fills(Class) {
  const [unit, rate] = [new Class('0.0001'), new Class('0.0005')];
  let balance = new Class('1000000000');
  let length = 0;
  for (let i = 0; i < EVENTS; i++) {
    const notional = unit.times(bids[i] * 100);
    balance = i % 2 === 0 ? balance.minus(notional) : balance.plus(notional);
    balance = balance.minus(notional.times(rate));
    length += balance.toFixed().length;
  }
  return length;
}

/** The same with BigInts of eight places. */
function bigIntFills() {
  let balance = 100_000_000_000_000_000n;
  let length = 0;
  for (let i = 0; i < EVENTS; i++) {
    const notional = BigInt(bids[i] * 100) * 10_000n;
    balance = i % 2 === 0 ? balance - notional : balance + notional;
    balance -= (notional * 5n) / 10_000n;
    const digits = balance.toString();
    length += `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, '').length;
  }
  return length;
}

const PLAIN = Decimal.clone({ precision: 64, rounding: Decimal.ROUND_HALF_EVEN });

export const ALTERNATIVES = {
  'lost-decimal-fills': () => alternative('lost-decimal-fills', 'decimal.js for the money of each fill', () => fills(PLAIN)),
  'lost-bigint-fills': () => alternative('lost-bigint-fills', 'BigInts of eight places for the money of each fill', bigIntFills),
  'word-fills': () => alternative('word-fills', 'short ways for amounts of few words, the one in use', () => fills(Money)),
  'lost-decimal-sums': () => alternative('lost-decimal-sums', 'Decimal.plus for each amount', decimalSums),
  'lost-bigint-sums': () => alternative('lost-bigint-sums', 'a BigInt from the text of each amount', bigIntSums),
  'word-sums': () => alternative('word-sums', 'ExactSum, the one in use', wordSums),
  'lost-rxjs-decimal': () => alternative('lost-rxjs-decimal', 'operators, decimals and copied state', rxjsAndDecimal),
  'lost-subject': () => alternative('lost-subject', 'one Subject, three subscribers', subjectPerEvent),
  'lost-frozen': () => alternative('lost-frozen', 'Object.freeze on each event', frozenEvents),
  'lost-await': () => alternative('lost-await', 'one await an event', awaitPerEvent),
  'lost-json': () => alternative('lost-json', 'a JSON line an event', jsonPerEvent),
};
