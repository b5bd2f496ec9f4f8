import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { petstore } from '@petstore/client';
import { freePort } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root, textOf } from '../../repository.ts';
import { blocksOf } from '../docs/pages.ts';
import { stop } from '../support/process.ts';

const PAGE = 'docs/kubernetes.md';
const KEY = 'a-key-that-is-for-tests';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly args: string[];
  readonly ports: { readonly name: string; readonly containerPort: number }[];
  readonly [probe: `${string}Probe`]: Probe;
}
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly selector: Record<string, unknown>;
    readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number } };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: [Container] };
    };
  };
}

const [block] = blocksOf(PAGE).filter(({ language }) => language === 'yaml');
const manifests: Manifest[] = parseAllDocuments(block?.text ?? '').map((document) => document.toJS());
const [deployment, service, budget] = manifests as [Manifest, Manifest, Manifest];
const { template, replicas, strategy } = deployment.spec;
const [container] = template.spec.containers;
const flags = new Map(container.args.map((arg) => arg.split('=') as [string, string]));
const seconds = (flag: string) => Number(flags.get(flag));

test('the manifests select the pods of the deployment', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget']);
  const { labels } = template.metadata;
  expect([deployment.spec.selector, service.spec.selector, budget.spec.selector]).toEqual([
    { matchLabels: labels },
    labels,
    { matchLabels: labels },
  ]);
});

test('a pod has time to drain, and is taken out before it stops listening', () => {
  const { readinessProbe, startupProbe } = container;
  expect(seconds('--drain-delay') + seconds('--shutdown-timeout') + 1).toBeLessThan(
    template.spec.terminationGracePeriodSeconds,
  );
  expect((readinessProbe?.periodSeconds ?? Number.NaN) * (readinessProbe?.failureThreshold ?? 1)).toBeLessThan(
    seconds('--drain-delay'),
  );
  expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0)).toBe(60);
});

test('the page computes right numbers of connections for the pool', () => {
  const rows = [...textOf(PAGE).matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (.+) \|$/gm)];
  expect(rows).toHaveLength(3);
  const [first] = rows;
  const here = [replicas, strategy.rollingUpdate.maxSurge, 1, seconds('--database-pool')];
  expect(first?.slice(1, 5).map(Number)).toEqual(here);
  for (const [row, ...cells] of rows) {
    const [pods = 0, surge = 0, workers = 0, pool = 0, connections] = cells.map(Number);
    expect(connections, row).toBe((pods + surge) * workers * pool);
    // PostgreSQL keeps 3 of its 100 connections for superusers.
    expect(cells[5], row).toBe((connections ?? 0) < 97 ? 'fits' : 'does not fit');
  }
});

describeOnSchema('a server with the arguments of the manifest', (newSchema) => {
  // Windows has no SIGTERM to catch.
  test.skipIf(process.platform === 'win32')(
    'responds to the probes, serves on while it drains, and stops in time',
    async () => {
      const port = await freePort();
      const adminPort = await freePort();
      const args = container.args.map((arg) => (arg.startsWith('--admin-port=') ? `--admin-port=${adminPort}` : arg));
      const env = { ...process.env, DATABASE_URL: await newSchema(), PETSTORE_API_KEYS: KEY };
      const main = join(root, 'apps/server/src/main.js');
      const child: ChildProcess = spawn(process.execPath, [main, `--port=${port}`, ...args], { env, stdio: 'ignore' });
      onTestFinished(() => stop(child));

      const probe = (name: 'startup' | 'readiness' | 'liveness') => {
        const { path, port: named } = container[`${name}Probe`]?.httpGet ?? { path: '', port: '' };
        expect(named).toBe('admin');
        return fetch(`http://127.0.0.1:${adminPort}${path}`).then(({ status }) => status, String);
      };
      expect(container.ports.find(({ name }) => name === 'admin')?.containerPort).toBe(seconds('--admin-port'));
      for (const name of ['startup', 'readiness', 'liveness'] as const) await expect.poll(() => probe(name)).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);

      const api = petstore({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: KEY, retry: 0 });
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await expect.poll(() => probe('readiness')).toBe(503);
      expect(await probe('liveness')).toBe(200);
      expect((await api.createPet({ name: 'Rex', categoryId: 1 })).name).toBe('Rex');
      expect(await ended).toEqual([0, null]);
    },
  );
});
