import ts from 'typescript';

/** Names that bring in wall time or chance: only `app` and the clocks may use them. */
const IMPURE_NAMES = new Set(['setTimeout', 'setInterval', 'setImmediate', 'randomUUID']);
const IMPURE_MEMBERS = new Set(['Date.now', 'Math.random']);
const LONGEST = 400;

/** What a source file does against the house rules, as `file:line: rule`. `path` is relative to the project, with `/`. */
export function sourceBreaches(path, text) {
  const found = [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const report = (node, message) => found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}: ${message}`);
  const mayBeImpure = path.startsWith('src/app/') || path.endsWith('-clock.ts');
  const visit = (node) => {
    if (!mayBeImpure)
      for (const name of impurities(node)) report(node, `${name} outside src/app and *-clock.ts: time and chance come through a port`);
    if (isDefaultExport(node)) report(node, 'a default export: export by name');
    ts.forEachChild(node, visit);
  };
  visit(file);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > LONGEST && !/^\s*(\/\/|\/?\*).*Long because/m.test(text)) {
    found.push(`${path}:1: ${lines} lines, over ${LONGEST}: split it, or give the reason in a comment that starts "Long because"`);
  }
  return found;
}

/** What a test file does against the house rules: it expects nothing, so that it cannot fail, or time or neighbours decide whether it does. */
export function testBreaches(path, text) {
  const found = /expect\(|fc\.assert/.test(text) ? [] : [`${path}:1: no expect( and no fc.assert: this test cannot fail`];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const visit = (node) => {
    const breach = ts.isCallExpression(node) ? callBreach(node) : undefined;
    if (breach !== undefined) found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}: ${breach}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isFunction = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
const OF_JEST = /^(test|it|\w+Test|(before|after)(All|Each))$/;

/** Whether a callee is `test`, `beforeAll` or another word of jest, also as `test.each(rows)` and `(isThere ? test : test.skip)`. */
function isOfJest(callee) {
  if (ts.isIdentifier(callee)) return OF_JEST.test(callee.text);
  if (ts.isParenthesizedExpression(callee)) return isOfJest(callee.expression);
  if (ts.isConditionalExpression(callee)) return isOfJest(callee.whenTrue);
  if (ts.isPropertyAccessExpression(callee)) return isOfJest(callee.expression);
  return ts.isCallExpression(callee) && /\.each$/.test(callee.expression.getText()) && isOfJest(callee.expression);
}

function callBreach({ expression, arguments: given }) {
  if (/^readdir(Sync)?$/.test(expression.getText()) && given[0]?.getText() === 'tmpdir()')
    return 'a list of the temporary folders of all processes: list a folder that temporaryFolder() made';
  const work = given.findIndex(isFunction);
  if (work >= 0 && given.length > work + 1 && isOfJest(expression))
    return 'a time limit of its own, which a busy machine exceeds: jest.config.mjs has one for all';
  return undefined;
}

function impurities(node) {
  if (ts.isPropertyAccessExpression(node)) {
    const member = `${node.expression.getText()}.${node.name.text}`;
    return IMPURE_MEMBERS.has(member) ? [member] : [];
  }
  if (ts.isIdentifier(node)) return IMPURE_NAMES.has(node.text) ? [node.text] : [];
  // With an argument, a Date only spells a time that came from elsewhere.
  const asksTime = ts.isCallExpression(node) || (ts.isNewExpression(node) && (node.arguments ?? []).length === 0);
  const callsDate = asksTime && node.expression.getText() === 'Date';
  return callsDate ? [`${ts.isNewExpression(node) ? 'new ' : ''}Date()`] : [];
}

function isDefaultExport(node) {
  if (ts.isExportAssignment(node)) return !node.isExportEquals;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
}
