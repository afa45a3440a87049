// npm run recipes: walks the recipes of docs/how-to/change-tidegate.md in a copy of the tree. Each makes one small change in the files that
// its page names (the edits are in scripts/recipes), then all of them are checked by types, layers and the tests that the pages name.
// It fails if an anchor is missing, a check fails, or a page does not name a file that the change needs.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import { CLI_COMMAND } from './recipes/cli-command.mjs';
import { EXCHANGE_OPERATION } from './recipes/exchange-operation.mjs';
import { INDICATOR } from './recipes/indicator.mjs';
import { ORDER_TYPE } from './recipes/order-type.mjs';
import { RISK_RULE } from './recipes/risk-rule.mjs';
import { STATISTIC } from './recipes/statistic.mjs';
import { installIfNeeded, requireNode, root } from './tools.mjs';

const PAGE = 'docs/how-to/change-tidegate.md';
const RECIPES = [RISK_RULE, INDICATOR, STATISTIC, ORDER_TYPE, EXCHANGE_OPERATION, CLI_COMMAND];

requireNode();
await installIfNeeded();
const started = performance.now();
const tree = mkdtempSync(join(tmpdir(), 'tidegate-recipes-'));
process.once('exit', () => rmSync(tree, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

const names = copyTree();
const page = readFileSync(join(root, PAGE), 'utf8');
/** The problems of each recipe, and those that belong to none. */
const problems = new Map(RECIPES.map(({ title }) => [title, []]));
const common = [];

for (const recipe of RECIPES) for (const edit of recipe.edits) attempt(recipe, edit);
runSchema();
for (const recipe of RECIPES) for (const { file, name, env } of recipe.writers ?? []) runWriter(recipe, { file, name, env });
const touched = changedFiles();
checkFiles();
checkTests();
checkLayers();
checkTypes();
report();

/** Copies the files of the working tree that git does not ignore. node_modules is a link, and there is no build. */
function copyTree() {
  const listed = spawnSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (listed.status !== 0) {
    console.error(`npm run recipes copies the files that git lists in ${root}, and git failed: ${listed.error?.message ?? listed.stderr}`);
    process.exit(1);
  }
  const found = listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)));
  for (const name of found) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    cpSync(join(root, name), join(tree, name));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  // The tests of the recipes start no command line: the build that jest makes for others would take longer than all of this.
  writeFileSync(
    join(tree, 'recipes.jest.config.mjs'),
    "import config from './jest.config.mjs';\nexport default { ...config, globalSetup: undefined };\n",
  );
  return new Set([...found, 'recipes.jest.config.mjs']);
}

/** Makes one edit, after the check that the step of the page names its file. */
function attempt(recipe, { section = recipe.title, step, file, ...edit }) {
  const complain = (text) => problems.get(recipe.title).push(`step ${step}${section === recipe.title ? '' : ` of "${section}"`}: ${text}`);
  const item = stepsOf(section)[step - 1];
  if (item === undefined) complain(`${PAGE} has no such step`);
  else if (!isNamed(file, item)) complain(`the page does not name ${file}`);
  const path = join(tree, file);
  if (edit.create !== undefined) {
    if (existsSync(path)) return complain(`${file} exists already`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, edit.create);
    return;
  }
  const anchor = edit.after ?? edit.before ?? edit.replace;
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const isPattern = anchor instanceof RegExp;
  const count = isPattern ? [...text.matchAll(new RegExp(anchor, `g${anchor.flags}`))].length : text.split(anchor).length - 1;
  if (count !== 1) return complain(`${file} has the anchor ${count} times, not once: ${isPattern ? anchor : JSON.stringify(anchor)}`);
  const made = (found) => {
    if (isPattern) return edit.text(found);
    return `${edit.after ?? ''}${edit.text}${edit.before ?? ''}`;
  };
  writeFileSync(path, text.replace(anchor, made));
}

/** The text of a section of the page, with the targets of its links as paths from the root. */
function sectionOf(title) {
  const [, text] = page.split(new RegExp(`^## ${title}\\n`, 'm'));
  if (text === undefined) return '';
  return text.split(/^## /m)[0].replace(/\]\(([^)#]+)(#[^)]*)?\)/g, (_, target) => `](${posix.join(dirname(PAGE), target)})`);
}

/** The numbered steps of a section. */
function stepsOf(title) {
  return sectionOf(title)
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map((item) => item.split(/\n\n/)[0]);
}

/** Whether a text names a file, or in backticks its folder, whose files are a family. A new folder may be one of a named folder. */
function isNamed(file, text) {
  let folder = posix.dirname(file);
  if (!existsSync(join(root, folder))) folder = posix.dirname(folder);
  return text.includes(file) || text.includes(`\`${folder}\``);
}

/** Whether a text names a test, or runs one of its folders with `npm test --`. */
function isRun(file, text) {
  const paths = [...text.matchAll(/npm test -- ([^`]+)/g)].flatMap(([, list]) => list.split(' '));
  return text.includes(file) || paths.some((path) => file.startsWith(`${path}/`)) || isNamed(file, text);
}

function runNode(args, env = {}) {
  const done = spawnSync(process.execPath, args, { cwd: tree, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1e9 });
  return { ok: done.status === 0, output: `${done.stdout}${done.stderr}`.trim() };
}

function runSchema() {
  const { ok, output } = runNode(['scripts/write-schema.mjs']);
  if (!ok) common.push(`npm run schema fails:\n${output}`);
}

/** Runs a test that writes files if an environment variable says so. */
function runWriter({ title }, { file, name, env }) {
  const { ok, output } = runJest([file, '-t', name], env);
  if (!ok) problems.get(title).push(`${file} does not write its files:\n${output}`);
}

function runJest(args, env) {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const options = ['--config', 'recipes.jest.config.mjs', '--cacheDirectory', join(tree, '.jest-cache'), '--runInBand'];
  return runNode([...jest, ...options, ...args], env);
}

/** Files of the copy that are new or differ from those of the tree. */
function changedFiles() {
  const inTree = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(tree, join(parentPath, name)).split('\\').join('/'))
    .filter((name) => !/^(node_modules|\.jest-cache)\//.test(name) && name !== 'recipes.jest.config.mjs');
  return new Set(inTree.filter((name) => !names.has(name) || !readFileSync(join(tree, name)).equals(readFileSync(join(root, name)))));
}

/** Every changed file belongs to a recipe, and the sections of the recipe name the files that its commands write. */
function checkFiles() {
  for (const recipe of RECIPES) {
    const text = sectionsOf(recipe).map(sectionOf).join('\n');
    for (const file of recipe.writes ?? []) {
      if (!touched.has(file)) problems.get(recipe.title).push(`the commands of the recipe do not write ${file}`);
      if (!isNamed(file, text)) problems.get(recipe.title).push(`the page does not name ${file}, which its commands write`);
    }
  }
  const known = new Set(RECIPES.flatMap(filesOf));
  for (const file of touched) if (!known.has(file)) common.push(`${file} changed, and no recipe says so`);
}

function sectionsOf({ title, edits }) {
  return [...new Set([title, ...edits.map(({ section = title }) => section)])];
}

function filesOf({ edits, writes = [] }) {
  return [...new Set([...edits.map(({ file }) => file), ...writes])].sort();
}

/** One run of jest for all recipes. Each named test must have run. */
function checkTests() {
  const tests = RECIPES.flatMap(({ title, tests }) => tests.map((test) => ({ title, ...test })));
  const results = join(tree, '.jest-cache/results.json');
  const pattern = tests.map(({ name }) => name).join('|');
  const { output } = runJest([...new Set(tests.map(({ file }) => file)), '-t', pattern, '--json', '--outputFile', results]);
  if (!existsSync(results)) {
    common.push(`jest did not run:\n${output}`);
    return;
  }
  const files = new Map(
    JSON.parse(readFileSync(results, 'utf8')).testResults.map((result) => [relative(tree, result.name).split('\\').join('/'), result]),
  );
  for (const { title, file, name } of tests) {
    const section = sectionsOf(RECIPES.find((recipe) => recipe.title === title))
      .map(sectionOf)
      .join('\n');
    if (!isRun(file, section)) problems.get(title).push(`the page does not name the test ${file}`);
    const { assertionResults = [], message = '' } = files.get(file) ?? {};
    const ran = assertionResults.filter(({ fullName, status }) => status !== 'pending' && new RegExp(name).test(fullName));
    if (ran.length === 0) problems.get(title).push(`no test of ${file} ran whose title has "${name}"\n${message}`);
    for (const { fullName, status, failureMessages } of ran) {
      if (status !== 'passed') problems.get(title).push(`${file}, "${fullName}":\n${plain(failureMessages.join('\n'))}`);
    }
  }
}

/** A failure without the lines of jest's own stack. */
function plain(message) {
  return message
    .split('\n')
    .filter((line) => !line.includes('node_modules/'))
    .join('\n');
}

function checkLayers() {
  const { ok, output } = runNode([
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    'src',
  ]);
  if (!ok) blame('lint:layers', output);
}

function checkTypes() {
  // Without a build-info file: that of the tree is behind the link.
  const { ok, output } = runNode(['node_modules/typescript/lib/tsc.js', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false']);
  if (!ok) blame('lint:types', output);
}

/** Gives each line of a check to the recipes whose files it names. */
function blame(check, output) {
  for (const line of output.split('\n').filter((one) => one.trim() !== '')) {
    const owners = RECIPES.filter((recipe) => filesOf(recipe).some((file) => line.includes(file)));
    for (const { title } of owners) problems.get(title).push(`${check}: ${line}`);
    if (owners.length === 0) common.push(`${check}: ${line}`);
  }
}

function wayOf({ edits }, file) {
  if (!names.has(file)) return 'new    ';
  return edits.some((edit) => edit.file === file) ? 'edited ' : 'written';
}

function report() {
  for (const recipe of RECIPES) {
    const found = problems.get(recipe.title);
    const files = filesOf(recipe);
    console.log(`${recipe.title} (${recipe.change}): ${files.length} files, ${found.length === 0 ? 'passed' : 'FAILED'}`);
    for (const file of files) console.log(`  ${wayOf(recipe, file)} ${file}`);
    for (const problem of found) console.log(`  -- ${problem.replaceAll('\n', '\n     ')}`);
  }
  for (const problem of common) console.log(`-- ${problem}`);
  const failed = [...problems.values()].filter((found) => found.length > 0).length;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${RECIPES.length} recipes walked in ${seconds} s, ${failed} failed${common.length === 0 ? '' : ', and the copy as a whole'}`,
  );
  process.exitCode = failed === 0 && common.length === 0 ? 0 : 1;
}
