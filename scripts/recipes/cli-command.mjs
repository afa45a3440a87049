/** A command that explains an error code. */
export const CLI_COMMAND = {
  title: 'Add a command or an option',
  change: 'tidegate error <code>: the category and the exit code of an error',
  edits: [
    {
      step: 1,
      file: 'src/app/commands/exchange-commands.ts',
      before: 'const EXCHANGE_HELP =',
      text: `/** \`tidegate error <code>\`: explains an error code. */
export function addErrorCommand(program: Command, print: (line: string) => void): void {
  program
    .command('error')
    .description('Print the category and the exit code of an error.')
    .argument('<code>', 'code of the error, e.g. CONFIG_INVALID')
    .option('--json', 'print {"code", "category", "exitCode"} instead of a line')
    .addHelpText('after', '\\nExample:\\n  $ npx tidegate error CONFIG_INVALID\\n')
    .action(async (code: string, { json = false }: { json?: boolean }) => {
      const { describeCode, codeText } = await import('../error-codes/describe-code.ts');
      const description = describeCode(code);
      print(json ? JSON.stringify(description) : codeText(description));
    });
}

`,
    },
    {
      step: 1,
      file: 'src/app/cli.ts',
      replace: /(?<=import \{ addApiCommand, )(?=.*exchange-commands)/,
      text: () => 'addErrorCommand, ',
    },
    { step: 1, file: 'src/app/cli.ts', after: '  addApiCommand(program, print);\n', text: '  addErrorCommand(program, print);\n' },
    {
      step: 2,
      file: 'src/app/error-codes/describe-code.ts',
      create: `import { ERROR_CODES, type ErrorCategory, type ErrorCode, TidegateError } from '../../model/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';

interface CodeDescription {
  readonly code: string;
  readonly category: ErrorCategory;
  readonly exitCode: number;
}

/** The category and the exit code of an error. @throws TidegateError USAGE. */
export function describeCode(code: string): CodeDescription {
  if (!Object.hasOwn(ERROR_CODES, code)) throw new TidegateError('USAGE', \`there is no error code "\${code}"; docs/reference/errors.md has all\`);
  const category = ERROR_CODES[code as ErrorCode];
  return { code, category, exitCode: EXIT_CODES[category] };
}

export function codeText({ code, category, exitCode }: CodeDescription): string {
  return \`\${code}: \${category}, exit code \${exitCode}\`;
}
`,
    },
    { step: 2, file: '.dependency-cruiser.cjs', replace: "'doctor',", text: "'doctor', 'error-codes'," },
    { step: 2, file: 'docs/explanation/architecture.md', replace: /(?<=\bdoctor {2})(?=\w)/, text: () => 'error-codes  ' },
    { step: 2, file: 'docs/explanation/architecture.md', replace: /(?<=^ .*\bdoctor\/ {2})/m, text: () => 'error-codes/  ' },
    {
      step: 2,
      file: 'test/app/error-codes/describe-code.test.ts',
      create: `import { expect, test } from '@jest/globals';
import { codeText, describeCode } from '../../../src/app/error-codes/describe-code.ts';

test('an error code has its category and its exit code', () => {
  expect(codeText(describeCode('DATA_NOT_FOUND'))).toBe('DATA_NOT_FOUND: data, exit code 3');
});

test('an error code that there is not is a wrong command line', () => {
  expect(() => describeCode('NOWHERE')).toThrow(expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('"NOWHERE"') }));
});
`,
    },
    {
      step: 3,
      file: 'docs/reference/cli.md',
      before: '## `tidegate exchange <config>`\n',
      text: `## \`tidegate error <code>\`

Prints the category and the exit code of an [error](errors.md).

\`\`\`sh
npx tidegate error CONFIG_INVALID
\`\`\`

<!-- options of error -->
<!-- end of options -->

`,
    },
  ],
  writes: ['docs/reference/cli.md'],
  tests: [
    { file: 'test/app/error-codes/describe-code.test.ts', name: 'an error code' },
    { file: 'test/docs/cli.slow.test.ts', name: 'every command is in docs/reference/cli.md' },
    { file: 'test/docs/architecture.test.ts', name: 'the tree of the architecture page' },
  ],
};
