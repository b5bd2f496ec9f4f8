import { UsageError } from '../io/errors.ts';
import type { Invocation } from '../parse/node.ts';

/** Prints where the documentation of the service is, or opens it. */
export async function docs({ io, flags, settings }: Invocation): Promise<void> {
  const url = new URL('/docs', settings.baseUrl.value).href;
  await io.stdout.write(`${url}\n`);
  if (flags.has('open')) await open(url);
}

/** Hands an address to the browser of the system. */
async function open(url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const [command, ...args] = { darwin: ['open'], win32: ['explorer'] }[String(process.platform)] ?? ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    child.on('spawn', resolve);
    child.on('error', () =>
      reject(new UsageError(`There is no ${command} to open a browser with.`, `Open ${url} yourself.`)),
    );
  });
  child.unref();
}
