import { existsSync } from 'node:fs';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { encode } from '../../../journal/codec.ts';
import { withJournal } from '../../../journal/journal-reader.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { LimitCommand, SettingChange } from '../../../ports/market-feed.ts';
import { type RiskLimits, trackedFiguresFor } from '../../../risk/limits.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { type BotMode, botFolder } from '../../planning/bot-folder.ts';
import { riskLimits } from '../../planning/risk-limits.ts';
import type { BotPlan } from '../../planning/run-plans.ts';

/** The key of the journal's memory for the settings that were changed while the bot ran. */
const MEMORY = 'bot/changes';

/** The changes that a journal remembers, in the order in which they were first made. */
export function recalledChanges(journal: Pick<BotJournal, 'recall'>): readonly SettingChange[] {
  return (journal.recall(MEMORY) ?? []) as readonly SettingChange[];
}

/** Stored with the turn of its command. */
export function rememberChange(journal: BotJournal, change: SettingChange): void {
  rememberChanges(journal, [...recalledChanges(journal).filter(({ setting }) => setting !== change.setting), change]);
}

/** Replaces all changes. */
export function rememberChanges(journal: BotJournal, changes: readonly SettingChange[]): void {
  journal.remember(MEMORY, changes.length === 0 ? undefined : changes);
}

/** A config with the changes that are still in force, and lines about them for the log. */
export interface ChangedConfig {
  readonly loaded: LoadedConfig;
  readonly changes: readonly SettingChange[];
  readonly notes: readonly string[];
}

/**
 * Loads the config of a bot, with the settings that a person has changed while the bot ran. The newer statement wins: a change is over
 * once the config has another value for its setting than at the time of the change.
 * @throws TidegateError CONFIG_NOT_FOUND, CONFIG_INVALID
 */
export function withChanges(path: string, set: readonly string[], mode: BotMode): ChangedConfig {
  const load = (more: readonly string[]) => loadConfig(path, { withoutBacktest: true, set: [...set, ...more], env: process.env });
  const plain = load([]);
  let loaded = plain;
  const changes: SettingChange[] = [];
  const notes: string[] = [];
  for (const change of changesOf(plain, mode)) {
    const { setting, value, was } = change;
    const now = jsonAt(plain.config, setting);
    const over = (why: string) => notes.push(`the change ${setting}=${value} of an earlier run is over: ${why}`);
    if (now !== was) {
      over(`the config has ${now} now, and had ${was}. The config wins`);
      continue;
    }
    try {
      loaded = load([...changes, change].map(textOf));
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      over(`the config does not allow it any more: ${error.message}`);
      continue;
    }
    changes.push(change);
    notes.push(`CHANGED in an earlier run: ${setting} is ${value}, not ${was} as in the config`);
  }
  return { loaded, changes, notes };
}

/** A journal that cannot be read has none: the start reports why. */
function changesOf({ config }: LoadedConfig, mode: BotMode): readonly SettingChange[] {
  const dir = config[mode]?.dir;
  if (dir === undefined) return [];
  const { journal } = botFolder(dir, config.name, mode);
  try {
    return existsSync(journal) ? withJournal(journal, [], recalledChanges) : [];
  } catch (error) {
    if (error instanceof TidegateError) return [];
    throw error;
  }
}

/**
 * Checks a new limit as the config is checked. @param assignment such as `risk.orders.maxNotional=500`; `null` removes the limit.
 * @param present the limits in force. @throws TidegateError USAGE, CONFIG_INVALID
 */
export function limitCommand(
  assignment: string,
  { plan, present, changes }: { readonly plan: BotPlan; readonly present: RiskLimits; readonly changes: readonly SettingChange[] },
): LimitCommand {
  const { origin } = plan;
  if (origin === undefined) throw new TidegateError('USAGE', 'the bot was not made from a config, so no setting can be changed');
  const equals = assignment.indexOf('=');
  const [setting, value] = [assignment.slice(0, equals), assignment.slice(equals + 1)];
  if (equals < 0 || !setting.startsWith('risk.'))
    throw new TidegateError('USAGE', `${assignment}: expected a limit, such as risk.orders.maxNotional=500`);
  const overlaps = changes.find((one) => isWithin(one.setting, setting));
  if (overlaps !== undefined)
    throw new TidegateError('USAGE', `${overlaps.setting} was changed before: change that setting again, not ${setting}`);
  const others = changes.filter((one) => one.setting !== setting);
  const load = (set: readonly string[]) => loadConfig(origin.file, { text: origin.text, set, withoutBacktest: true, keysMayBeUnset: true });
  const { config } = load([...others.map(textOf), assignment]);
  const limits = { ...riskLimits(config.risk), maxQueuedOrders: present.maxQueuedOrders };
  if (encode(trackedFiguresFor(limits)) !== encode(trackedFiguresFor(present)))
    throw new TidegateError(
      'USAGE',
      `${setting} needs figures that the bot does not measure since its start: change the config, and start the bot again`,
    );
  const was = changes.find((one) => one.setting === setting)?.was ?? jsonAt(load([]).config, setting);
  return { kind: 'command', command: 'limit', change: { setting, value, was }, limits };
}

function isWithin(one: string, other: string): boolean {
  return one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

function textOf({ setting, value }: SettingChange): string {
  return `${setting}=${value}`;
}

/** The value at a path of a config, as JSON; `null` if there is none. */
function jsonAt(config: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], config);
  return JSON.stringify(value) ?? 'null';
}
