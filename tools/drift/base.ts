import { spawnSync } from 'node:child_process';
import { cached } from './cached.ts';
import { specFile } from './openapi.ts';

/** The commit that the spec is compared with. */
export interface Base {
  /** Its name, for people. */
  name: string;
  /** The text of a file there; nothing where there is no base. Throws if there is no such file. */
  read?: (file: string) => string;
  /** Why a base that was asked for cannot be used. */
  problem?: string;
}

/**
 * The base that the environment names. Without one: the upstream branch or `origin/main`, if this branch has commits that
 * they lack; else the last release; else the last commit.
 */
export function findBase(root: string, env: NodeJS.ProcessEnv): Base {
  const { PETSTORE_BASE, GITHUB_BASE_REF } = env;
  const named = PETSTORE_BASE || (GITHUB_BASE_REF && `origin/${GITHUB_BASE_REF}`);
  if (named) {
    return specAt(root, named) ?? { name: named, problem: `git finds no ${specFile} there` };
  }
  const branches = ['@{upstream}', 'origin/main'].filter(
    (branch) => git(root, 'merge-base', '--is-ancestor', 'HEAD', branch) === undefined,
  );
  const release = git(root, 'describe', '--tags', '--abbrev=0', '--match', '*@[0-9]*')?.trim() ?? [];
  for (const ref of branches.concat(release, 'HEAD')) {
    const base = specAt(root, ref);
    if (base) return base;
  }
  return { name: 'nothing, because this is no git repository with a commit' };
}

/** The spec where the branch left `ref`: what was added there since is no change of this branch. */
function specAt(root: string, ref: string): Base | undefined {
  const commit = git(root, 'merge-base', ref, 'HEAD') ?? git(root, 'rev-parse', '--verify', `${ref}^{commit}`);
  if (!commit) return undefined;
  // Each call starts a process.
  const textAt = cached((file: string) => git(root, 'show', `${commit.trim()}:${file}`));
  const name = ref === '@{upstream}' ? git(root, 'rev-parse', '--abbrev-ref', ref)?.trim() : ref;
  if (textAt(specFile) === undefined) return undefined;
  const read = (file: string) => {
    const text = textAt(file);
    if (text === undefined) throw new Error(`there is no ${file} in ${name}`);
    return text;
  };
  return { name: `${name} (${commit.slice(0, 7)})`, read };
}

function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
