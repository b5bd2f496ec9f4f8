import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, newFolder } from '@petstore/testing';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { root, textOf } from '../../repository.ts';
import { stop } from '../support/process.ts';

const folder = join(root, 'apps/server/deploy');

interface Service {
  readonly image: string;
  readonly read_only: boolean;
  readonly cap_drop: string[];
  readonly security_opt: string[];
  readonly secrets: string[];
  readonly environment: Record<string, string>;
  readonly stop_grace_period: string;
}

interface Compose {
  readonly services: Record<string, Service>;
  readonly secrets: Record<string, { readonly file: string }>;
}

const compose: Compose = parse(textOf('apps/server/deploy/compose.yaml'));

export const serverNames = Object.keys(compose.services).filter((name) => compose.services[name]?.image === 'petstore');

/** The flags of podman, the variables and the seconds to stop that compose.yaml gives a server. */
export function serverSettings(name: string, env: string) {
  const service = compose.services[name];
  if (!service) throw new Error(`compose.yaml has no ${name}.`);
  expect(service.secrets).toEqual(['petstore.env']);
  const secrets = join(newFolder(), 'petstore.env');
  writeFileSync(secrets, env);
  chmodSync(secrets, 0o400);
  chownSync(secrets, 10_001, 10_001);
  const flags = [
    ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...service.security_opt.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...service.secrets.map((secret) => `--volume=${secrets}:/run/secrets/${secret}:ro`),
  ];
  return { flags, env: service.environment, graceSeconds: Number.parseInt(service.stop_grace_period, 10) };
}

export interface Proxy {
  readonly origin: string;
  readonly certificate: string;
  /** Everything that it has logged. */
  log(): string;
}

/** Starts haproxy as compose.yaml does, with servers that listen on these ports of this machine. */
export async function startProxy(ports: readonly number[]): Promise<Proxy> {
  const { environment = {} } = compose.services.proxy ?? {};
  const files = newFolder();
  const [key, certificate, both] = ['key.pem', 'certificate.pem', 'tls.pem'].map((name) => join(files, name)) as [
    string,
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', certificate];
  execFileSync('openssl', request, { stdio: 'ignore' });
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  const bind = `127.0.0.1:${await freePort()}`;
  const servers = ports.map((port, i) => [`SERVER_${i + 1}`, `127.0.0.1:${port}`]);
  const here = { BIND: bind, CERTIFICATE: both, ...Object.fromEntries(servers) };
  expect(Object.keys(here).toSorted()).toEqual(Object.keys(environment).toSorted());
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { env: { ...process.env, ...here } });
  onTestFinished(() => stop(child));
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      log += text;
    });
  return { origin: `https://${bind}`, certificate: readFileSync(certificate, 'utf8'), log: () => log };
}
