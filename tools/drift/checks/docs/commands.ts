import { Readable } from 'node:stream';
import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import { type Block, finding } from './pages.ts';

export type Petctl = typeof import('petctl/internal');
export type Server = typeof import('@petstore/server/program');
type Command = ReturnType<Server['program']>;

/** Returns why a program rejects a command line; nothing if it would run. */
type Try = (words: string[]) => Promise<string | undefined>;

/** What npm itself does. */
const ofNpm = new Set([
  'install',
  'ci',
  'pack',
  'publish',
  'audit',
  'view',
  'exec',
  'login',
  'deprecate',
  'link',
  'ls',
]);

/** The npm scripts that do not exist, and the commands that petctl or the server reject. */
export async function commandErrors(project: Project, blocks: Block[]): Promise<Finding[]> {
  const { scripts } = JSON.parse(project.read('package.json'));
  const tries: Record<string, Try> = {
    petctl: petctl(await project.load<Petctl>('petctl/internal')),
    'petstore-server': server(await project.load<Server>('@petstore/server/program')),
  };
  const findings: Finding[] = [];
  for (const { page, line } of blocks.flatMap(linesOf)) {
    const [, script] = /^npm (?:run )?(?:-s )?([\w:-]+)/.exec(line) ?? [];
    if (script && !(script in scripts) && !ofNpm.has(script))
      findings.push(finding(page, `it shows '${line}'`, 'package.json has no such script'));
    const [, program = '', words = ''] =
      /(?:^|\| )(?:npx )?(petctl|petstore-server) (.*)$/.exec(line.split(' | ')[0] ?? '') ?? [];
    const error = await tries[program]?.(wordsOf(words));
    if (error) findings.push(finding(page, `it shows '${line}'`, error));
  }
  return findings;
}

function linesOf({ page, language, text }: Block): { page: string; line: string }[] {
  if (!['sh', 'bash', 'console'].includes(language)) return [];
  const commands = text.split('\n').map((line) =>
    line
      .replace(/^\$ /, '')
      .replace(/^(?:[A-Z_]+=(?:'[^']*'|"[^"]*"|\S*) +)+/, '')
      .replace(/\s+#.*$/, '')
      .trim(),
  );
  return commands.map((line) => ({ page, line }));
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

/** Runs petctl without sending anything: an operation only shows its request, the other commands their help. */
function petctl({ run, fullTree, walk }: Petctl): Try {
  const operations = new Set([...walk(fullTree())].flatMap(({ path, node }) => (node.operation ? path.join(' ') : [])));

  const sink = {
    write: async () => {},
    isTerminal: false,
    columns: undefined,
    isClosed: () => false,
    end: async () => {},
  };
  const surroundings = {
    env: { PETCTL_API_KEY: 'k', XDG_CONFIG_HOME: '/nonexistent' },
    stdout: sink,
    stderr: sink,
    // It has what petctl uses of a process's stdin, unless that is a terminal.
    stdin: () => Readable.from([]) as unknown as NodeJS.ReadStream,
    interrupted: new AbortController().signal,
    onInterrupt: () => {},
  };
  return (words) => {
    const isOperation = operations.has(words.slice(0, 2).join(' ')) && !words[1]?.startsWith('import');
    return errorOf(() => run([...words, isOperation ? '--dry-run' : '--help'], surroundings));
  };
}

/** Reads the command line as the server does, and starts nothing. */
function server({ program }: Server): Try {
  return (words) =>
    errorOf(async () => {
      const root = program({}, async () => {});
      for (const command of commandsBelow(root)) {
        command.configureOutput({ writeOut: () => {} });
        if (command !== root && command.name() !== 'serve') command.action(() => {});
      }
      await root.parseAsync(words, { from: 'user' });
    });
}

export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap((one) => commandsBelow(one as Command))];
}

async function errorOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    // commander ends the output of help and of the version so.
    if ((error as { exitCode?: number }).exitCode === 0) return undefined;
    return String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')[0];
  }
}
