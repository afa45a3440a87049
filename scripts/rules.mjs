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

/** A test file that expects nothing cannot fail. */
export function testBreaches(path, text) {
  return /expect\(|fc\.assert/.test(text) ? [] : [`${path}:1: no expect( and no fc.assert: this test cannot fail`];
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
