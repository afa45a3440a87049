// The rooms of docs/explanation/architecture.md and the one direction between them: `npm run lint:layers`.
const LEVELS = [
  ['model'],
  ['ports'],
  ['state'],
  ['strategy', 'risk'],
  ['engine'],
  ['matching', 'exchange', 'recording', 'journal', 'statistics'],
  ['venues/reconcile'],
  ['venues/simulated', 'venues/rest', 'local-exchange', 'research', 'search', 'report'],
  ['app'],
  ['entries'],
];
// The layers inside `app`, from the lowest.
const APP_LEVELS = [
  ['base'],
  ['config'],
  ['loader', 'access'],
  ['planning', 'terminal', 'write-report'],
  ['wiring', 'record', 'data', 'local-exchange', 'plots'],
  ['backtest', 'live'],
  ['run-folders'],
  ['bias', 'bundle', 'compare', 'fleet', 'replay', 'search', 'explain', 'doctor', 'watchdog', 'strategies', 'inspect', 'workspace'],
  ['prove', 'significance', 'portfolio'],
  ['serve'],
  ['commands', 'library'],
  ['cli'],
];
const CORE = ['model', 'ports', 'state', 'strategy', 'risk', 'engine'];
const OUTSIDE = [...LEVELS[5], ...LEVELS[6]];
const path = (rooms) => `^src/(${rooms.join('|')})/`;

const oneDirection = LEVELS.flatMap((rooms, level) =>
  rooms.map((room) => ({
    name: `${room.replace('/', '-')}-imports-only-below`,
    comment: 'A room imports only rooms with a smaller number; rooms of one number do not import each other.',
    severity: 'error',
    from: { path: `^src/${room}/` },
    to: {
      path: path(
        LEVELS.slice(level)
          .flat()
          .filter((other) => other !== room),
      ),
    },
  })),
);

const appOneDirection = APP_LEVELS.flatMap((folders, level) =>
  folders.map((folder) => ({
    name: `app-${folder}-imports-only-below`,
    comment: 'A folder of app imports only folders of lower layers; folders of one layer do not import each other.',
    severity: 'error',
    from: { path: `^src/app/${folder}[/.]` },
    to: {
      path: `^src/app/(${APP_LEVELS.slice(level)
        .flat()
        .filter((other) => other !== folder)
        .join('|')})[/.]`,
    },
  })),
);

module.exports = {
  forbidden: [
    ...oneDirection,
    ...appOneDirection,
    {
      name: 'every-file-of-app-has-a-layer',
      severity: 'error',
      from: {},
      to: { path: '^src/app/', pathNot: `^src/app/(${APP_LEVELS.flat().join('|')})[/.]` },
    },
    {
      name: 'outside-knows-model-and-ports-of-core',
      severity: 'error',
      from: { path: path(OUTSIDE) },
      to: { path: path(CORE.filter((room) => room !== 'model' && room !== 'ports')) },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'inversify-only-in-app',
      severity: 'error',
      from: { pathNot: path(['app']) },
      to: { path: 'node_modules/(inversify|reflect-metadata)/' },
    },
    {
      name: 'app-tools-only-in-app',
      severity: 'error',
      from: { path: '^src/', pathNot: path(['app']) },
      to: { path: 'node_modules/(yaml|rolldown|pino|commander|cli-progress)/' },
    },
    {
      name: 'decimal-only-in-model',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/model/decimal' },
      to: { path: 'node_modules/decimal\\.js/' },
    },
    {
      name: 'no-rxjs-in-pure-rooms',
      severity: 'error',
      from: { path: '^src/(model|risk|matching|exchange|recording|statistics)/|^src/state/(apply|portfolio)' },
      to: { path: 'node_modules/rxjs/' },
    },
    {
      name: 'exchange-tells-the-wire-apart-from-calling-it',
      comment: 'The local exchange stands on table, schemas and signing too: they know nothing of the client.',
      severity: 'error',
      from: { path: '^src/exchange/', pathNot: '^src/exchange/client/' },
      to: { path: '^src/exchange/client/' },
    },
    {
      name: 'sockets-only-in-the-client',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/exchange/client/' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'fastify-only-in-servers',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(local-exchange/(http|start-exchange)|app/serve/)' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'wire-json-only-in-exchange',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/exchange/json' },
      to: { path: 'node_modules/lossless-json/' },
    },
    {
      name: 'sqlite-only-in-journal-and-studies',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(journal/|search/study)' },
      to: { path: 'node_modules/libsql/' },
    },
    {
      name: 'ccxt-only-in-downloads',
      comment: 'It is optional and large.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/data/ccxt' },
      to: { path: 'node_modules/ccxt/' },
    },
    {
      name: 'queues-only-in-searches',
      comment: 'They are optional.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/search/queue/backend' },
      to: { path: 'node_modules/(bullmq|ioredis|pg)/' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
