import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/cli.ts';
import { checkout, runLine } from './shell.ts';

const { entryPoints } = JSON.parse(readFileSync(join(ROOT, 'typedoc.json'), 'utf8')) as { readonly entryPoints: readonly string[] };

interface Example {
  /** The exported name that has it, and the member. */
  readonly of: string;
  readonly text: string;
}

/** The documentation of a declaration as text. */
function textOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker));
}

/** The symbol itself, and the members of a class or an interface, private ones too. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  return [symbol, ...(symbol.members?.values() ?? [])];
}

/** Every example in the docstrings of what the entries export. */
function examples(): Example[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const entries = entryPoints.map((file) => join(ROOT, file));
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const found = new Map<string, Example>();
  for (const entry of entries) {
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const isOurs = symbol.declarations?.some((one) => !one.getSourceFile().fileName.includes('node_modules'));
      if (isOurs !== true) continue;
      for (const member of membersOf(symbol)) {
        const name = member === symbol ? exported.name : `${exported.name}.${member.name}`;
        const blocks = [...textOf(member, checker).matchAll(/```ts\n([\s\S]*?)```/g)];
        blocks.forEach(([, text = ''], index) => {
          found.set(text, { of: index === 0 ? name : `${name}-${index + 1}`, text });
        });
      }
    }
  }
  return [...found.values()];
}

const EXAMPLES = examples();
const isStrategy = ({ text }: Example) => /\bexport class \w+ extends Strategy\b/.test(text);
const STRATEGIES = EXAMPLES.filter(isStrategy);
const SCRIPTS = EXAMPLES.filter((example) => !isStrategy(example));
const fileOf = ({ of }: Example) => `${of.replace(/[^A-Za-z0-9]+/g, '-')}.mts`;

/** A folder like a project of its own that has the package. */
function project(): string {
  const folder = checkout();
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  for (const name of ['rxjs', '@types/node', 'trading-signals'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const example of EXAMPLES) writeFileSync(join(folder, fileOf(example)), example.text);
  return folder;
}

test('docstrings have examples of strategies and of the other entries', () => {
  expect(STRATEGIES.map(({ of }) => of)).toEqual(expect.arrayContaining(['select$', 'Strategy', 'Strategy.state$']));
  expect(SCRIPTS.map(({ of }) => of)).toEqual(expect.arrayContaining(['startExchange', 'exchangeClient']));
});

test("each example passes the compiler's strict checks, with the declarations of the package", () => {
  const folder = project();
  const files = EXAMPLES.map((example) => join(folder, fileOf(example)));
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const program = ts.createProgram(files, options);
  const messages = files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    const all = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return all.map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  });
  expect(messages).toEqual([]);
});

test('each example of a strategy runs over the sample and is denied nothing', async () => {
  const folder = project();
  const config = {
    name: 'docstrings',
    dataDir: 'data',
    account: { kind: 'spot', balances: { USDT: '1000000' } },
    instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' } },
    strategies: STRATEGIES.map((example, index) => ({
      id: `s${index}`,
      file: fileOf(example).replace('.mts', '.ts'),
      symbols: ['BTC-USDT'],
    })),
    backtest: { data: ['sample'], to: '2025-01-03' },
  };
  for (const example of STRATEGIES) writeFileSync(join(folder, fileOf(example).replace('.mts', '.ts')), example.text);
  writeFileSync(join(folder, 'docstrings.yaml'), JSON.stringify(config));
  const { code, output } = await runLine(folder, 'npx tidegate backtest docstrings.yaml --json --quiet --out out');
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(JSON.parse(output)).toMatchObject({ error: null, denied: 0 });
});

test.each(SCRIPTS)('the example of $of runs, and its comments name what it prints', async (example) => {
  const folder = project();
  const { outputText } = ts.transpileModule(example.text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  writeFileSync(join(folder, 'example.mjs'), outputText);
  const { code, output } = await runLine(folder, 'node example.mjs');
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  const printed = [...example.text.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line]) => line);
  expect(
    output
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, printed.length),
  ).toEqual(printed);
});

test('editors show a name of rxjs as deprecated if it is imported from tidegate, and not from rxjs', () => {
  const folder = project();
  const suggestions = (from: string) => {
    const file = join(folder, `${from}-names.mts`);
    writeFileSync(
      file,
      `import { map, type Observable, of } from '${from}';\nexport const one: Observable<number> = of(1).pipe(map((value) => value));\n`,
    );
    const { NodeNext } = ts.ModuleKind;
    const settings: ts.CompilerOptions = { module: NodeNext, target: ts.ScriptTarget.ES2022, types: [], skipLibCheck: true };
    const service = ts.createLanguageService({
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getCurrentDirectory: () => folder,
      getCompilationSettings: () => settings,
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (name) => (ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name)!) : undefined),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    });
    const shown = service.getSuggestionDiagnostics(file).filter(({ reportsDeprecated }) => reportsDeprecated !== undefined);
    return [...new Set(shown.map(({ messageText }) => messageText))];
  };
  expect(suggestions('tidegate')).toEqual(["'map' is deprecated.", "'Observable' is deprecated.", "'of' is deprecated."]);
  expect(suggestions('rxjs')).toEqual([]);
});
