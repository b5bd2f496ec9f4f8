import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { petstore } from '@petstore/client';
import { freePort } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serverNames, serverSettings, startProxy } from './compose.ts';
import { buildImage, IMAGE, newPodman, type Podman, skipsContainers } from './podman.ts';

const KEY = 'a-key-that-is-for-tests';
const MAX_BYTES = 200e6;
/** For a machine that is busy. */
const MAX_START_MS = 60_000;

describe.skipIf(skipsContainers('the container image'))('the container image', () => {
  let podman: Podman;
  beforeAll(async () => {
    podman = newPodman();
    await buildImage(podman);
  });
  afterAll(() => podman.remove());

  /** A container without privileges. All containers that are started so share one volume. */
  async function started(name: string, env: Record<string, string> = {}) {
    const port = String(await freePort());
    const strict = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'];
    await podman.start(name, [...strict, '--volume=petstore-data:/data'], { HOST: '127.0.0.1', PORT: port, ...env });
    onTestFinished(() => podman('rm', '--force', '--time=0', name).then(() => {}));
    return { ...(await responding(name, port)), port };
  }

  async function responding(name: string, port: string) {
    const origin = `http://127.0.0.1:${port}`;
    const status = () => fetch(`${origin}/readyz`).then((response) => response.status, String);
    const logs = async (error: unknown) => Promise.reject(new Error(await podman('logs', name), { cause: error }));
    await expect.poll(status, { timeout: MAX_START_MS }).toBe(200).catch(logs);
    return { origin, api: petstore({ baseUrl: `${origin}/v1`, apiKey: KEY }) };
  }

  const exitCode = async (name: string) => Number(await podman('inspect', '--format={{.State.ExitCode}}', name));

  test('is smaller than 200 MB, and has no shell', async () => {
    expect(Number(await podman('image', 'inspect', '--format={{.Size}}', IMAGE))).toBeLessThan(MAX_BYTES);
    await expect(podman.start('shell', ['--entrypoint=/bin/sh'], {})).rejects.toThrow(/no such file/i);
  });

  test('with a read-only file system: it is healthy, does not run as root, loses nothing by a kill, and stops by SIGTERM', async () => {
    const { api, port } = await started('one', { PETSTORE_API_KEYS: `me=${KEY}` });
    const pet = await api.createPet({ name: 'Rex', categoryId: 2 });
    await podman('healthcheck', 'run', 'one');
    const inside = (program: string) => podman('exec', 'one', 'node', '--print', program);
    expect(await inside('process.getuid()')).toBe('10001\n');
    expect(await inside('process.ppid')).toBe('0\n');
    expect(await inside("fs.readFileSync('/proc/1/cmdline', 'utf8')")).toContain('petstore-server');
    await expect(inside("fs.writeFileSync('/app/any', '')")).rejects.toThrow('EROFS');

    await podman('kill', '--signal=KILL', 'one');
    expect(await podman('wait', 'one')).toBe('137\n');
    await podman('start', 'one');
    const again = await responding('one', port);
    expect(await again.api.listPets()).toEqual([pet]);
    expect((await fetch(`${again.origin}/docs`)).status).toBe(200);

    await podman('stop', '--time=60', 'one');
    expect(await exitCode('one')).toBe(0);
  });

  test('SIGTERM also ends it while it waits for its database', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const DATABASE_URL = `postgres://petstore@127.0.0.1:${port}/petstore`;
    await podman.start('waiting', ['--read-only'], { DATABASE_URL, PETSTORE_DATABASE_CONNECT_TIMEOUT: '600' });
    onTestFinished(() => podman('rm', '--force', '--time=0', 'waiting').then(() => {}));
    const [socket] = await connected;
    onTestFinished(() => void socket.destroy());
    await podman('stop', '--time=60', 'waiting');
    expect(await exitCode('waiting')).toBe(143);
  });

  test('its commands work in a running container, and on its volume', async () => {
    const { origin } = await started('two');
    const made = await podman('exec', 'two', 'petstore-server', 'keys', 'create', '--name', 'nightly');
    const [apiKey = ''] = /pk_[\w-]+/.exec(made) ?? [];
    const list = () =>
      petstore({ baseUrl: `${origin}/v1`, apiKey })
        .listPets()
        .then((pets) => pets.length, String);
    // The pet that the test of the kill has created is on the same volume.
    await expect.poll(list).toBe(1);
  });

  describeOnSchema('the servers of compose.yaml, behind its proxy', (newSchema) => {
    test('are replaced one by one under load: no request fails, and none is tried again', async () => {
      const database = await newSchema();
      const settings = (name: string) =>
        serverSettings(name, `DATABASE_URL="${database}"\nPETSTORE_API_KEYS=me=${KEY}\n`);
      const ports = new Map<string, number>();
      for (const name of serverNames) ports.set(name, await freePort());
      const start = async (name: string) => {
        const { flags, env } = settings(name);
        const port = String(ports.get(name));
        await podman.start(name, flags, { ...env, HOST: '127.0.0.1', PORT: port });
        await responding(name, port);
      };
      for (const name of serverNames) await start(name);
      onTestFinished(() => podman('rm', '--force', '--time=0', ...serverNames).then(() => {}));
      const { origin, certificate, log } = await startProxy([...ports.values()]);
      const certificates = getCACertificates('default');
      setDefaultCACertificates([...certificates, certificate]);
      onTestFinished(() => setDefaultCACertificates(certificates));
      const api = petstore({ baseUrl: `${origin}/v1`, apiKey: KEY, retry: 0 });
      await expect.poll(() => api.listPets().then(String, String)).toBe('');

      const load = startLoad(api);
      await load.more(100);
      for (const name of serverNames) {
        await podman('stop', `--time=${settings(name).graceSeconds}`, name);
        expect(await exitCode(name)).toBe(0);
        await podman('rm', name);
        await load.more(50);
        const since = log().length;
        await start(name);
        await expect.poll(() => log().slice(since)).toContain(`${name} is UP`);
        await load.more(100);
      }
      const { created, failures } = await load.stop();
      expect(failures).toEqual([]);
      const stored: number[] = [];
      for await (const { id } of api.listPets({ limit: 100 })) stored.push(id);
      expect(stored).toEqual(created.toSorted((a, b) => a - b));
      expect((await fetch(`${origin}/metrics`)).status).toBe(404);
    });
  });
});

/** Callers that create pets and list them, one request after another, until they are stopped. */
function startLoad(api: ReturnType<typeof petstore>) {
  const created: number[] = [];
  const failures: string[] = [];
  let isStopped = false;
  const call = async () => {
    while (!isStopped) {
      try {
        created.push((await api.createPet({ name: 'Rex', categoryId: 1 })).id);
        await api.listPets({ limit: 5 });
      } catch (error) {
        failures.push(String(error));
        await pause(20);
      }
    }
  };
  const callers = Array.from({ length: 8 }, call);
  return {
    more: (pets: number) => {
      const goal = created.length + pets;
      return expect.poll(() => created.length).toBeGreaterThanOrEqual(goal);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
      return { created, failures };
    },
  };
}
