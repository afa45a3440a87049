import type { LoadedConfig } from '../../config/load-config.ts';
import type { BotFolder, BotMode } from '../process/bot-folder.ts';
import { botSection } from './bot-section.ts';

export interface TermsParts {
  readonly mode: BotMode;
  readonly folder: BotFolder;
  /** A hash of the key. */
  readonly accountId: string;
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
}

/** What a bot is about to trade with, in the words of its config: shown before anything is sent. */
export function tradingTerms(loaded: LoadedConfig, parts: TermsParts): Record<string, unknown> {
  const { config } = loaded;
  const { onStop, warmup, foreign, unexplained, poll } = botSection(loaded, parts.mode);
  const { mode, folder, accountId, spotBaseUrl, contractBaseUrl } = parts;
  const { account, orders, positions, strategies } = config.risk;
  return {
    name: config.name,
    mode,
    account: `${config.account.kind}, ${mode === 'paper' ? 'simulated' : 'REAL MONEY'}, id ${accountId}`,
    spot: spotBaseUrl ?? 'none',
    futures: contractBaseUrl ?? 'none',
    instruments: Object.keys(config.instruments),
    strategies: config.strategies.map(({ id, symbols }) => `${id} on ${symbols.join(', ')}`),
    limits: setOf({ ...account, ...orders, positions }),
    ...Object.fromEntries(
      Object.entries(strategies).map(([id, own]) => [`limits of ${id}`, setOf({ ...own, ...own.orders, orders: undefined })]),
    ),
    onStop,
    warmup,
    foreign,
    unexplained,
    poll,
    folder: folder.path,
    ...(mode === 'paper' ? { prices: config.paper?.prices } : {}),
  };
}

function setOf(limits: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** The same for a person. */
export function termsText(terms: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(terms).map(({ length }) => length));
  return Object.entries(terms)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`)
    .join('\n');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, inner]) => `${name} ${shown(inner)}`);
  return entries.length === 0 ? 'none' : entries.join(', ');
}
