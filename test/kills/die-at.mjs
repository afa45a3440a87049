// Loaded before a bot (node --import): ends its process in a commit of its journal, as SIGKILL at that moment does.
// TIDEGATE_DIE is {"kind", "when", "nth"}: the nth commit that holds a record of that kind, before or after it is durable.
import { BotJournal } from '../../dist/bundle/bot-journal.js';

const { kind, when, nth } = JSON.parse(process.env.TIDEGATE_DIE);
delete process.env.TIDEGATE_DIE;
const { prototype } = BotJournal;
/** What is told since the last commit. */
const told = new Set();
let seen = 0;

/** Notes what each method of the journal tells, and lets it. */
function note(method, nameOf) {
  const original = prototype[method];
  prototype[method] = function (...args) {
    told.add(nameOf(...args));
    return original.apply(this, args);
  };
}
for (const method of ['market', 'intent', 'request', 'reply', 'heartbeat']) note(method, () => method);
note('event', (_, event) => event.kind);
note('append', (recordKind) => recordKind);
note('remember', () => 'memory');

const { commit } = prototype;
prototype.commit = function () {
  const more = this.beforeCommit;
  let isIt = false;
  // Called where there is something to write: the last moment at which all of it is told and none of it durable.
  this.beforeCommit = () => {
    more?.();
    if (kind === 'any' || told.has(kind)) isIt = ++seen === nth;
    if (isIt && when === 'before') die();
  };
  try {
    commit.call(this);
  } finally {
    this.beforeCommit = more;
  }
  if (isIt) die();
  told.clear();
};

function die() {
  process.kill(process.pid, 'SIGKILL');
  // Not one line more, however late the signal comes.
  for (;;);
}
