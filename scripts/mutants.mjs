// Small changes to a source that ought to make a test fail: another comparison, a condition that always holds, a statement that is
// left out, a value that is not returned. Found in the syntax tree of TypeScript, so that each is one valid change.
import ts from 'typescript';

/** Operators with what takes their place. */
const OPERATORS = new Map([
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['===', ['!==']],
  ['!==', ['===']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+', ['-']],
  ['-', ['+']],
  ['*', ['/']],
  ['/', ['*']],
  ['%', ['*']],
  ['+=', ['-=']],
  ['-=', ['+=']],
]);

/** Methods with what takes their place: money is decimal, so its arithmetic and comparisons are calls. */
const METHODS = new Map([
  ['plus', 'minus'],
  ['minus', 'plus'],
  ['times', 'div'],
  ['div', 'times'],
  ['lessThan', 'lessThanOrEqualTo'],
  ['lessThanOrEqualTo', 'lessThan'],
  ['greaterThan', 'greaterThanOrEqualTo'],
  ['greaterThanOrEqualTo', 'greaterThan'],
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
]);

/** What only people read: a change there breaks no rule. */
const SAID = /(^|\.)(log|console)\??\.\w+$|^invariant$|^describe$/;

/** All mutants of one source: `start` and `end` of the text that is replaced, `text` that takes its place, and `what` that is. */
export function mutantsOf(path, source) {
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, text, what) => {
    const start = node.getStart(tree);
    const { line } = tree.getLineAndCharacterOfPosition(start);
    found.push({ path, line: line + 1, start, end: node.getEnd(), text, what });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isThrowStatement(node)) return;
    if (ts.isCallExpression(node) && SAID.test(node.expression.getText(tree))) return;
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText(tree);
      const isText = operator === '+' && [node.left, node.right].some(ts.isStringLiteralLike);
      for (const other of isText ? [] : (OPERATORS.get(operator) ?? [])) add(node.operatorToken, other, `${operator} becomes ${other}`);
      if (operator === '??') add(node, node.left.getText(tree), `without ?? ${short(node.right.getText(tree))}`);
    }
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      for (const value of ['true', 'false']) add(condition, value, `${short(condition.getText(tree))} becomes ${value}`);
    }
    if (ts.isNumericLiteral(node) && /^\d$/.test(node.text)) {
      const other = node.text === '0' ? '1' : String(Number(node.text) - 1);
      add(node, other, `${node.text} becomes ${other}`);
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false', 'true becomes false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true', 'false becomes true');
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(tree), `without the ! of ${short(node.getText(tree))}`);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      const other = METHODS.get(name.text);
      if (other !== undefined) add(name, other, `${name.text} becomes ${other}`);
    }
    if (ts.isReturnStatement(node) && node.expression !== undefined && node.expression.getText(tree) !== 'undefined') {
      add(node, 'return undefined;', `without the value of ${short(node.getText(tree))}`);
    }
    const isSuper = (call) => ts.isCallExpression(call) && call.expression.kind === ts.SyntaxKind.SuperKeyword;
    const isSaid = (call) => ts.isCallExpression(call) && SAID.test(call.expression.getText(tree));
    if (ts.isExpressionStatement(node) && !isSuper(node.expression) && !isSaid(node.expression)) {
      add(node, ';', `without ${short(node.getText(tree))}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function short(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= 70 ? line : `${line.slice(0, 67)}...`;
}
