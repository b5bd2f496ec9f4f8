import type { Environment } from './context.ts';

/** The entry of the system's keyring for an address; undefined if there is no keyring, or PETCTL_KEYRING is false. */
export async function keyringEntry(address: string, env: Environment) {
  if (env.PETCTL_KEYRING === 'false') return undefined;
  try {
    const { Entry } = await import('@napi-rs/keyring');
    // Without Secret Service, the library would use the keyring of the kernel, which is lost at the next boot.
    const entry = new Entry('petctl', address, { linux: { store: 'secret-service' } });
    // A test: without a keyring this throws, without a password it does not.
    entry.getPassword();
    return entry;
  } catch {
    // Without a keyring, the file has the keys.
    return undefined;
  }
}
