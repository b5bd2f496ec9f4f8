// D7: a change that breaks callers of the last release has a changeset that says so.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import type { Spec } from './interface.ts';
import { readSpec, specFile } from './oracle.ts';
import type { Report } from './report.ts';
import { type Terms, termsOf } from './terms.ts';

export async function check(now: Spec, report: Report): Promise<string | undefined> {
  const text = releasedText();
  if (text === undefined) return 'nothing has been released, so there is nothing to compare with.';
  const before = readSpec(text);
  if (majorOf(now) > majorOf(before) || hasMajorChangeset()) return undefined;
  for (const what of breaks(termsOf(before), termsOf(now)))
    report(`${what} breaks callers of the last release`);
  return undefined;
}

/** The spec of the last release: that of the newest tag, or in tests the file DRIFT_BASE. */
function releasedText(): string | undefined {
  const { DRIFT_BASE: file } = process.env;
  if (file) return readFileSync(file, 'utf8');
  if (!existsSync(join(root, '.git'))) return undefined;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const tags = git('tag', '--list', '@petstore/spec@*', '--sort=-creatordate').split('\n');
  const newest = tags[0];
  return newest ? git('show', `${newest}:${specFile}`) : undefined;
}

function majorOf({ version }: Spec): number {
  return Number(version.split('.')[0]);
}

/** Whether the head of a changeset, which is between two lines of dashes, says major. */
function hasMajorChangeset(): boolean {
  return globSync('.changeset/*.md', { cwd: root }).some((file) => {
    const [, head = ''] = textOf(file).split('---');
    return head.split('\n').some((line) => line.trim().endsWith(': major'));
  });
}

/** What callers cannot do any more: what is no longer offered or assured, and what is demanded in addition. */
function breaks(before: Terms, now: Terms): string[] {
  const gone = [...before.offers]
    .filter(([offer, wider]) => !now.offers.has(offer) && !(wider && now.offers.has(wider)))
    .map(([offer]) => `the removal of '${offer}'`);
  const demanded = [...now.demands].filter(
    ([term, { bound, about }]) =>
      // What is new has no callers.
      before.offers.has(about) &&
      bound > (before.demands.get(term)?.bound ?? Number.NEGATIVE_INFINITY),
  );
  const unassured = [...before.assures].filter(
    ([term, { bound }]) => bound > (now.assures.get(term)?.bound ?? Number.NEGATIVE_INFINITY),
  );
  const bounds = [...demanded, ...unassured].map(([term, { bound }]) =>
    bound === 0 ? `'${term}'` : `'${term} ${Math.abs(bound)}'`,
  );
  return [...gone, ...bounds];
}
