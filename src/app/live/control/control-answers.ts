import type { BotStatus } from './bot-status.ts';
import type { ControlCommand } from './control-socket.ts';
import type { KillFile } from './kill-file.ts';

export interface ControlParts {
  status(): BotStatus;
  stop(why: string): void;
  kill(flatten: boolean, reason: string): void;
  reduce(reason: string, strategyId: string | undefined): void;
  reset(strategyId: string | undefined): void;
  /** Ids of the bot's strategies. */
  readonly strategies: readonly string[];
  readonly killFile: Pick<KillFile, 'look'>;
  /** Of the kill file. */
  readonly path: string;
}

/** What a bot answers to those who ask over its socket: its status after the command, or an `error`. */
export function answerTo(parts: ControlParts): (command: ControlCommand) => unknown {
  return (command) => {
    const strategy = 'strategy' in command ? command.strategy : undefined;
    if (strategy !== undefined && !parts.strategies.includes(strategy)) {
      return { error: `the bot has no strategy "${strategy}", only ${parts.strategies.join(', ')}` };
    }
    switch (command.command) {
      case 'status':
        break;
      case 'stop':
        parts.stop('by command');
        break;
      case 'kill':
        parts.kill(command.flatten, command.reason);
        break;
      case 'reduce':
        parts.reduce(command.reason, strategy);
        break;
      case 'reset':
        if (parts.killFile.look()) return { error: `the file ${parts.path} is still there: remove it first` };
        parts.reset(strategy);
        break;
      default:
        command satisfies never;
    }
    return parts.status();
  };
}
