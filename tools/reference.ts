// `npm run generate` also writes the reference in docs/petctl.md, which is the help of each command of the built petctl.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, textOf } from './repository.ts';

export const page = 'docs/petctl.md';
/** Builds petctl first where a source file is newer. */
export const petctlFile = join(root, 'apps/petctl/checkout.cjs');

const start = '<!-- reference -->\n';
const end = '<!-- /reference -->';

/** The help of a command and of all below it, by their words: `''` is the program, `pets list` a command. */
export async function helpOf(file: string, words = ''): Promise<Map<string, string>> {
  const args = words === '' ? [] : words.split(' ');
  const env = { ...process.env, COLUMNS: undefined, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args, '--help'], {
    env,
  });
  const help = new Map([[words, stdout]]);
  const below = commandsIn(stdout).map((name) => helpOf(file, [...args, name].join(' ')));
  for (const each of await Promise.all(below))
    for (const [command, text] of each) help.set(command, text);
  return help;
}

/** The reference as the page shows it: only the help of petctl itself has the options of every command. */
export function referenceOf(help: ReadonlyMap<string, string>): string {
  let reference = '';
  for (const [words, text] of help) {
    const sections = sectionsOf(text).filter(
      (section) => words === '' || !section.startsWith('Options of every command:\n'),
    );
    const title = `petctl ${words}`.trimEnd();
    reference += `\n### ${title}\n\n\`\`\`text\n${sections.join('\n\n')}\n\`\`\`\n`;
  }
  return `${reference}\n`;
}

/** The commands that a help lists, without `help`, which has no help of its own. */
function commandsIn(help: string): string[] {
  const section = sectionsOf(help).find((each) => each.startsWith('Commands:\n')) ?? '';
  // `  list [options]   List animals`. The next lines of a long description have more spaces.
  const names = [...section.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'help');
}

/** The parts of a help, which are apart by empty lines. */
function sectionsOf(help: string): string[] {
  return help.trimEnd().split('\n\n');
}

/** The page with the text between its two comments replaced. */
function withReference(text: string, reference: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page} lacks ${start.trim()} and ${end}`);
  return text.slice(0, from + start.length) + reference + text.slice(to);
}

if (import.meta.main) {
  const reference = referenceOf(await helpOf(petctlFile));
  writeFileSync(join(root, page), withReference(textOf(page), reference));
}
