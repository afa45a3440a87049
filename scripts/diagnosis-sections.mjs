/** docs/reference/diagnosis.md with a section for every check between `<!-- checks -->` and `<!-- end of checks -->`, and their number. */
export function withCheckSections(page, checks) {
  const sections = checks.map(({ id, title, reportedIf, why, advice }) =>
    [`### \`${id}\`: ${title}`, '', `- **Reported if**: ${reportedIf}`, `- **Why**: ${why}`, `- **What to do**: ${advice}`, ''].join('\n'),
  );
  return page
    .replace(/\b\d+ checks\b/, `${checks.length} checks`)
    .replace(/(<!-- checks -->\n)[\s\S]*?(<!-- end of checks -->)/, (_, start, end) => `${start}\n${sections.join('\n')}\n${end}`);
}
