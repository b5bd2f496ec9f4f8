// Completion in real bash, zsh and fish.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { missingProgram, rounds, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { binary, hasNoTerminal, onTerminal, petctlNode } from './binary.ts';
import { petctl } from './run.ts';
import { scratch } from './scratch.ts';

const statuses = operations.listPets.fields.status.schema.enum.toSorted();
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(scratch, 'shells-'));
  symlinkSync(binary, join(folder, 'petctl'));
  const PATH = [folder, join(petctlNode, '..'), process.env.PATH].join(delimiter);
  env = { PATH, HOME: folder, ZDOTDIR: folder, TERM: 'dumb' };
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, `petctl.${shell}`), (await petctl(['completion', shell])).stdout);
});

// Does what readline does: splits the words like bash, then calls the registered function.
const bashScript = `source petctl.bash
while IFS= read -r COMP_LINE; do
  mapfile -t COMP_WORDS < <(printf '%s' "$COMP_LINE" | grep -oE "=|[^ =]+")
  [[ $COMP_LINE == *[\\ =] ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _petctl petctl "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  printf '@@%s\\n' "\${COMPREPLY[@]}"
  echo @@end
done`;
const fishScript = `source petctl.fish
while read -l typed
  for one in (complete -C "$typed"); echo "@@$one"; end
  echo @@end
end`;

/** The candidates that each shell offers at the end of each line. */
const shells: Record<string, (lines: readonly string[]) => string[][] | Promise<string[][]>> = {
  bash: (lines) => run(lines, 'bash', '--norc', '-c', bashScript),
  fish: (lines) => run(lines, 'fish', '--no-config', '-c', fishScript),
  // Completion is part of zsh's line editor, so this is a session on a terminal, in which compadd prints its arguments.
  zsh: async (lines) => {
    writeFileSync(
      join(folder, '.zshrc'),
      `autoload -Uz compinit; compinit -u -D; source ./petctl.zsh
compadd() {
  while (( $# )) && [[ $1 != -- ]]; do shift; done
  local c; for c in "\${@[2,-1]}"; do [[ $c == "$PREFIX"* ]] && print -r -- "@@$c"; done
}
probe() { print; zle complete-word; print -r -- "@@end$(( ++n ))@"; BUFFER= }
n=0; zle -N probe; bindkey '^I' probe; PS1='ready> '`,
    );
    const steps = lines.map((line, i) => ({
      expect: i === 0 ? 'ready> ' : `@@end${i}@`,
      send: `${line}\t`,
    }));
    const last = { expect: `@@end${lines.length}@`, send: '\u0015exit\r' };
    const program = ['sh', '-c', 'cd "$HOME" && exec zsh -d -i'];
    const { terminal } = await onTerminal([], {
      program,
      env,
      columns: 500,
      steps: [...steps, last],
    });
    return candidatesIn(terminal.replaceAll(/@@end\d+@/g, '\n@@end\n'), lines.length);
  },
};

function run(lines: readonly string[], shell: string, ...args: string[]): string[][] {
  const input = lines.map((line) => `${line}\n`).join('');
  const stdio: ('pipe' | 'ignore')[] = ['pipe', 'pipe', 'ignore'];
  return candidatesIn(
    execFileSync(shell, args, { cwd: folder, env, input, encoding: 'utf8', stdio }),
    lines.length,
  );
}

function candidatesIn(text: string, count: number): string[][] {
  return text
    .split('@@end')
    .slice(0, count)
    .map((part) => [...part.matchAll(/@@([^\s@]+)/g)].map(([, word = '']) => word).toSorted());
}

describe.each(Object.keys(shells))('%s', (shell) => {
  const isMissing = skips(`Completion in ${shell}`, missingProgram(shell), shell);
  // zsh completes on a terminal only.
  const isSkipped = isMissing || (shell === 'zsh' && hasNoTerminal);

  test.skipIf(isSkipped)('completes commands, flags and values', async () => {
    const few = {
      'petctl pets cre': ['create'],
      'petctl pets list --limit 5 --a': ['--after', '--all'],
      'petctl pets list --status ': statuses,
    };
    const more = {
      'petctl pets im': ['import'],
      'petctl a': ['auth'],
      'petctl pets list --st': ['--status'],
      'petctl pets list --status so': ['sold'],
      'petctl --output js': ['json', 'jsonl'],
    };
    const expected = rounds(few, { ...few, ...more });
    expect(await shells[shell]?.(Object.keys(expected))).toEqual(Object.values(expected));
  });

  test.skipIf(isSkipped)('does not execute any part of an unfinished command line', async () => {
    const words = [
      '$(touch ran)',
      '`touch ran`',
      '$(touch ran',
      '"$(touch ran)',
      '$' + '{x:=$(touch ran)}',
      "';touch ran;",
    ];
    const starts = [
      'petctl pets list --status ',
      'petctl pets list ',
      'petctl pets list --status=',
      'petctl ',
    ];
    const each = starts.flatMap((start) => words.map((word) => start + word));
    const together = `${starts[0]}${words.join(' ')}`;
    await shells[shell]?.(rounds([together, ...each.slice(0, 2)], each));
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

test.skipIf(skips('Completion in bash of --status=', missingProgram('bash'), 'bash'))(
  'bash splits --status=so into three words, and completes the last',
  async () => {
    expect(await shells.bash?.(['petctl pets list --status=so'])).toEqual([['sold']]);
  },
);

test.each([
  [['pets', 'list', '--limit', ''], ''],
  [['pets', 'list', '--status=so'], '--status=sold\t\n'],
  [['--base-url', 'pets', 'pets', 'cr'], 'create\tAdd an animal\n'],
  [['help', 'pets', 'cr'], 'create\tAdd an animal\n'],
  [['pets', 'help', 'cr'], 'create\tAdd an animal\n'],
  [['pets', 'list', '--output', 'js'], 'json\t\njsonl\t\n'],
  [['nope', 'x'], ''],
])('%j is completed by %j', async (words, stdout) => {
  expect(await petctl(['__complete', ...words])).toEqual({ code: 0, stdout, stderr: '' });
});

test('the script for bash can be read twice, and names of files are completed where no words are known', async () => {
  const { stdout } = await petctl(['completion', 'bash']);
  expect(stdout.split('\n')).toContain('complete -o default -F _petctl petctl');
  expect(stdout).not.toMatch(/compgen -W/);
});
