import { TidegateError } from '../../../model/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type BotMode, botFolder } from '../process/bot-folder.ts';
import type { BotStatus } from './bot-status.ts';
import { askBot, type ControlCommand } from './control-socket.ts';
import { statusText } from './status-text.ts';

export interface AskOptions {
  readonly set?: readonly string[];
  readonly paper?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly flatten?: boolean;
  readonly reason?: string;
  readonly strategy?: string;
}

/**
 * Tells a running bot of a config what to do.
 * @returns how it is after that, to be printed.
 * @throws TidegateError BOT_NOT_RUNNING, or USAGE where both modes run and none is named.
 */
export async function tellBot(path: string, name: ControlCommand['command'], options: AskOptions): Promise<string> {
  // Whoever stops a bot need not have its keys: they are asked for where `live.enabled` is true alone.
  const { config } = loadConfig(path, { set: [...(options.set ?? []), 'live.enabled=false'], env: process.env });
  const modes = (['live', 'paper'] as const).filter((mode) => options[mode] === true || (!options.live && !options.paper));
  const dirs = { live: config.live?.dir, paper: config.paper?.dir };
  const sockets = modes.flatMap((mode) => {
    const dir = dirs[mode];
    return dir === undefined ? [] : [{ mode, path: botFolder(dir, config.name, mode).socket }];
  });
  const socket = await running(sockets, config.name);
  const answer = (await askBot(socket, commandOf(name, options))) as BotStatus | { error: string };
  if ('error' in answer) throw new TidegateError('USAGE', answer.error);
  return options.json === true ? JSON.stringify(answer) : statusText(answer);
}

function commandOf(command: ControlCommand['command'], { flatten = false, reason = 'by command', strategy }: AskOptions): ControlCommand {
  if (command === 'kill') return { command, flatten, reason };
  if (command === 'reduce') return { command, reason, strategy };
  return command === 'reset' ? { command, strategy } : { command };
}

/** The one socket behind which somebody answers. */
async function running(sockets: readonly { readonly mode: BotMode; readonly path: string }[], name: string): Promise<string> {
  const found: string[] = [];
  for (const { path } of sockets) {
    try {
      await askBot(path, { command: 'status' });
      found.push(path);
    } catch {
      // Nobody there, or somebody who is ending.
    }
  }
  if (found.length > 1) throw new TidegateError('USAGE', `bot ${name} runs in both modes: say --live or --paper`);
  if (found[0] !== undefined) return found[0];
  throw new TidegateError('BOT_NOT_RUNNING', `no bot ${name} answers at ${sockets.map(({ path }) => path).join(' or ')}`);
}
