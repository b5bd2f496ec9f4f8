import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Finding } from '../finding.ts';
import { operationsOf } from '../future/spec.ts';
import { root, spec, textOf } from '../root.ts';

/** Generated pages are compared with what they are generated from, by those who generate them. */
const generatedPages = ['docs/petctl.md', 'docs/performance.md'];

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...under('docs'),
  ...['packages/types', 'packages/client', 'apps/petctl', 'spec', 'examples'].map((folder) => `${folder}/README.md`),
].filter((page) => existsSync(join(root, page)) && !generatedPages.includes(page));

interface Block {
  page: string;
  language: string;
  text: string;
}

/** What the pages show of the interface is there: commands, flags, choices, paths, variables, links, and code that compiles. */
export function docs(): Finding[] {
  const blocks = pages.flatMap(blocksOf);
  const dataDir = mkdtempSync(join(tmpdir(), 'petstore-docs-'));
  try {
    return [
      ...pages.flatMap(links),
      ...pages.flatMap(variables),
      ...pages.flatMap(places),
      ...blocks.flatMap((block) => commands(block, dataDir)),
      ...code(blocks),
    ];
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

const finding = (where: string, what: string, says: string): Finding => ({
  surface: 'docs',
  where,
  what,
  spec: says,
  mend: `edit ${where.split(':')[0]}`,
});

function blocksOf(page: string): Block[] {
  return [...textOf(page).matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  }));
}

function links(page: string): Finding[] {
  const targets = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !existsSync(join(root, dirname(page), target)))
    .map((target) => finding(page, `it links to ${target}`, 'there is no such file'));
}

/** The settings that the sources of server and client know, and petctl's own reference, where they are put together. */
function variables(page: string): Finding[] {
  const named = new Set(textOf(page).match(/\b(?:PETSTORE|PETCTL)_[A-Z_]*[A-Z]\b/g));
  const sources = [...['apps/server/src', 'packages/client/src'].flatMap((folder) => under(folder)), 'docs/petctl.md']
    .map(textOf)
    .join('\n');
  return [...named]
    .filter((name) => !sources.includes(name))
    .map((name) => finding(page, `it names ${name}`, 'nothing reads such a variable'));
}

/** Operations as `GET /pets`. A page that tells how to add one names one that is not there. */
function places(page: string): Finding[] {
  const known = operationsOf(spec);
  const named = [...textOf(page).matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}/-]+)/g)].map(([place]) => place);
  return named
    .filter((place) => !known.has(place))
    .map((place) => finding(page, `it names ${place}`, 'there is no such operation'));
}

function commands({ page, language, text }: Block, dataDir: string): Finding[] {
  if (!['sh', 'bash', 'console'].includes(language)) return [];
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    )
    .flatMap((line) => {
      const [, script] = /^npm (?:run )?(?:-s )?([\w:-]+)/.exec(line) ?? [];
      const known = JSON.parse(textOf('package.json')).scripts;
      if (script && !(script in known) && script !== 'install')
        return [finding(page, `it shows '${line}'`, 'package.json has no such script')];
      const [, program = '', words = ''] =
        /(?:^|\| )(?:npx )?(petctl|petstore-server) (.*)$/.exec(line.split(' | ')[0] ?? '') ?? [];
      const fault = program && refusal(program, words, dataDir);
      return fault ? [finding(page, `it shows '${line}'`, fault)] : [];
    });
}

/** What the real program says against a command line; nothing if it would run. It sends nothing, and its keys are kept in `dataDir`. */
function refusal(program: string, words: string, dataDir: string): string | undefined {
  const main = join(root, program === 'petctl' ? 'apps/petctl/src/main.ts' : 'apps/server/src/main.ts');
  const given = [...words.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );
  if (/^pets (list|create|get)\b/.test(words)) given.push('--dry-run');
  else if (!words.startsWith('keys ')) given.push('--help');
  const env = { ...process.env, PETCTL_API_KEY: 'k', PETSTORE_DATA_DIR: dataDir };
  const { status, stderr } = spawnSync(process.execPath, [main, ...given], { encoding: 'utf8', env });
  return status === 0 ? undefined : stderr.trim().split('\n')[0];
}

/** All code of the pages, type-checked in one go, where the packages can be found. */
function code(blocks: Block[]): Finding[] {
  const shown = blocks.filter(({ language }) => language === 'ts');
  const scratch = mkdtempSync(join(root, 'tools/.docs-'));
  try {
    shown.forEach(({ text }, i) => void writeFileSync(join(scratch, `${i}.ts`), text));
    const config = {
      extends: '../../tsconfig.base.json',
      compilerOptions: { lib: ['es2024', 'dom', 'dom.iterable'], noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts'],
    };
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(join(root, 'tools/node_modules/.bin/tsc'), ['-p', scratch, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    return [...stdout.matchAll(/(\d+)\.ts\((\d+),\d+\): error \w+: (.*)/g)].map(([, i = '', line = '', message = '']) =>
      finding(
        `${shown[Number(i)]?.page}: line ${line} of its code block ${Number(i) + 1}`,
        message,
        'code that is shown compiles',
      ),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function under(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(md|ts)$/.test(file))
    .map((file) => join(folder, file));
}
