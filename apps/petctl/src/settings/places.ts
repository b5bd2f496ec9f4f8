import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the profiles are. */
export function configFile(env: Environment): string {
  return join(folder(env), 'config.json');
}

/** Where keys are, or in which keyring. */
export function credentialsFile(env: Environment): string {
  return join(folder(env), 'credentials.json');
}

/** The folder that the system keeps for petctl. XDG says that a relative one is to be ignored. */
function folder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petctl');
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'petctl');
  return join(HOME || homedir(), '.config', 'petctl');
}
