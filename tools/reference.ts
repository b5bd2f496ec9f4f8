// `npm run generate` also writes the reference in docs/petctl.md, which is the help of each command of the built petctl.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, textOf } from './repository.ts';

export const page = 'docs/petctl.md';
/** Builds petctl first where a source file is newer. */
export const petctlFile = join(root, 'apps/petctl/src/main.ts');

/** The help of a command and of all below it, by their words. */
export async function helpOf(file: string, words = ''): Promise<Map<string, string>> {
  const args = [file, ...words.split(' ').filter(Boolean), '--help'];
  const env = { ...process.env, COLUMNS: undefined, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const [, commands = ''] = /^Commands:?\n((?: {2}.*\n?)*)/m.exec(stdout) ?? [];
  const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].filter(
    ([, name]) => name !== 'help',
  );
  const below = await Promise.all(names.map(([, name]) => helpOf(file, `${words} ${name}`.trim())));
  return new Map([[words, stdout], ...below.flatMap((each) => [...each])]);
}

/** The reference as the page shows it: only the help of petctl itself has the options of every command. */
export function referenceOf(help: ReadonlyMap<string, string>): string {
  const parts = [...help].map(([words, text]) => {
    const shown =
      words === '' ? text : text.replace(/\n\nOptions of every command:\n(?: .*\n)*/, '\n');
    return `\n### ${`petctl ${words}`.trim()}\n\n\`\`\`text\n${shown.trimEnd()}\n\`\`\`\n`;
  });
  return `${parts.join('')}\n`;
}

if (import.meta.main) {
  const reference = referenceOf(await helpOf(petctlFile));
  const between = /(?<=<!-- reference -->\n)[\s\S]*(?=<!-- \/reference -->)/;
  if (!between.test(textOf(page)))
    throw new Error(`${page} lacks <!-- reference --> and <!-- /reference -->`);
  const text = textOf(page).replace(between, () => reference);
  writeFileSync(join(root, page), text);
}
