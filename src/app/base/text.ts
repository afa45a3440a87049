import { relative } from 'node:path';
import type { AccountEvent } from '../../model/account-events.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { isoTime } from '../../model/time.ts';

/** The command that checks recordings, as it can be typed in the working directory. @param dataDir a folder, or `s3://bucket/prefix`. */
export function checkCommand(recordings: readonly string[], dataDir: string): string {
  const near = relative(process.cwd(), dataDir) || '.';
  const place = /^\w+:\/\//.test(dataDir) || near.length > dataDir.length ? dataDir : near;
  const words = [...recordings, ...(place === 'data' ? [] : ['--data-dir', place])];
  return ['npx tidegate data check', ...words.map(shellWord)].join(' ');
}

/** A word for a shell, in quotes if it needs them. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Describes one event in one readable line. */
export function eventWords(event: MarketEvent | AccountEvent): string {
  switch (event.kind) {
    case 'ticker':
      return `ticker ${event.sequence} of ${event.symbol}, last ${event.instrument.tick.toText(event.lastTicks)}, at ${isoTime(event.time)}`;
    case 'mark':
      return `mark ${event.sequence} of ${event.symbol}, ${event.price}, at ${isoTime(event.time)}`;
    case 'bar': {
      const { tick } = event.instrument;
      const [open, high, low, close] = [event.openTicks, event.highTicks, event.lowTicks, event.closeTicks].map((ticks) =>
        tick.toText(ticks),
      );
      return `bar ${event.sequence} of ${event.symbol}, open ${open}, high ${high}, low ${low}, close ${close}, closed at ${isoTime(event.time)}`;
    }
    case 'quote': {
      const { tick, step } = event.instrument;
      const [bid, ask] = [tick.toText(event.bidTicks), tick.toText(event.askTicks)];
      return `quote ${event.sequence} of ${event.symbol}, bid ${step.toText(event.bidSteps)} at ${bid}, ask ${step.toText(event.askSteps)} at ${ask}, at ${isoTime(event.time)}`;
    }
    case 'trade': {
      const { tick, step } = event.instrument;
      return `trade ${event.sequence} of ${event.symbol}, ${step.toText(event.steps)} at ${tick.toText(event.priceTicks)}, at ${isoTime(event.time)}`;
    }
    case 'depth': {
      const what = event.snapshot ? 'the whole book' : `${event.bids.ticks.length} bids and ${event.asks.ticks.length} asks changed`;
      return `depth ${event.sequence} of ${event.symbol}, ${what}, at ${isoTime(event.time)}`;
    }
    case 'funding':
      return `funding ${event.sequence} of ${event.symbol}, rate ${event.exactRate.toFixed()}, at ${isoTime(event.time)}`;
    case 'signalReceived': {
      const { name, symbol, sourceTime, values } = event;
      return `signal ${name}${symbol === undefined ? '' : ` of ${symbol}`} from ${isoTime(sourceTime)}: ${JSON.stringify(values)}`;
    }
    case 'timerFired':
      return `timer "${event.name}" of strategy "${event.strategyId}"`;
    case 'orderFilled': {
      const { fill, complete } = event;
      const { instrument, side, priceTicks, steps, fee, feeAsset } = fill;
      const what = `${instrument.step.toText(steps)} at ${instrument.tick.toText(priceTicks)}, fee ${fee.toFixed()} ${feeAsset}`;
      return `order ${event.clientOrderId} filled ${complete ? 'completely' : 'in part'}: ${side} ${what}`;
    }
    case 'balanceChanged': {
      const { balance, entry } = event;
      const why = entry === undefined ? 'reserved or released' : `${entry.amount.toFixed()} by ${entry.reason}`;
      return `balance of ${balance.asset} (${balance.wallet}): ${balance.total.toFixed()}, ${balance.frozen.toFixed()} of it frozen (${why})`;
    }
    case 'requestsChanged':
      return `requests: ${event.queued} queued, ${Math.round(event.free * 100)} % of the weight for orders is free`;
    case 'healthChanged':
      return `${event.subject} ${event.symbol} ${event.condition}: ${event.reason}`.replace('  ', ' ');
    default:
      return 'clientOrderId' in event && event.clientOrderId !== '' ? `${event.kind} of order ${event.clientOrderId}` : event.kind;
  }
}

/** Formats rows as columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
