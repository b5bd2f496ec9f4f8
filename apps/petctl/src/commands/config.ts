import { suggestion, UsageError } from '../io/errors.ts';
import type { Environment } from '../io/process-io.ts';
import { escapeControls } from '../io/text.ts';
import { selectedFields } from '../output/format.ts';
import { print } from '../output/print.ts';
import type { Invocation } from '../parse/command.ts';
import {
  changeProfiles,
  isSettingName,
  type Profiles,
  profileKeys,
  rejectUnknownProfile,
} from '../settings/profiles.ts';
import { parseSetting, type ResolvedSettings, type SettingValue } from '../settings/resolve.ts';
import { type Setting, type SettingName, settings } from '../settings/settings.ts';

/** Lists the settings in effect. */
export async function list(invocation: Invocation): Promise<void> {
  const { userSettings, flags } = invocation;
  const columns = ['key', 'value', ...(flags.has('show-origin') ? ['origin'] : [])];
  const rows = Object.values<Setting<unknown>>(settings).map((setting) => {
    const { value, source } = displayedValue(setting, userSettings);
    return { key: setting.flag.name, value, ...(columns.length > 2 && { origin: source }) };
  });
  await print(rows, { list: true, columns: selectedFields(flags.get('fields'), columns) }, invocation);
}

/** Prints one setting in effect. */
export async function get({ args, userSettings, io }: Invocation): Promise<void> {
  const name = String(args[0]);
  if (!isSettingName(name)) throw unknownSetting(name, Object.keys(settings));
  const { value } = displayedValue(settings[name], userSettings);
  await io.stdout.write(`${escapeControls(String(value))}\n`);
}

/** Changes a setting of the profile, and creates a missing profile; without a value, removes the setting from an existing profile. */
export async function change({ io: { env }, args, flags }: Invocation): Promise<void> {
  const [key = '', value] = args.map(String);
  if (key === 'profile') return useProfile(env, value);
  if (!isSettingName(key)) throw unknownSetting(key, profileKeys);
  if (value !== undefined) parseSetting<unknown>(settings[key], value, key);
  changeProfiles(env, (stored) => {
    const { selected, profiles } = stored;
    const profile = String(flags.get('profile') ?? (env[settings.profile.variable] || (selected ?? 'default')));
    if (value === undefined) rejectUnknownProfile(profile, stored);
    else rejectSecondUrl(key, profile, stored);
    // JSON omits undefined values.
    return { selected, profiles: { ...profiles, [profile]: { ...profiles[profile], [key]: value } } };
  });
}

/** Throws if the profile would have both base-url and deployment, with which every command fails. */
function rejectSecondUrl(key: SettingName, profile: string, { profiles }: Profiles): void {
  const other = key === 'base-url' ? 'deployment' : key === 'deployment' ? 'base-url' : undefined;
  if (other === undefined || profiles[profile]?.[other] === undefined) return;
  throw new UsageError(
    `The profile '${profile}' already sets ${other}.`,
    `Remove it first: 'petctl config unset ${other} --profile ${profile}'.`,
  );
}

/** Selects the profile for later runs, or without a name the default one. */
export function useProfile(env: Environment, name: string | undefined): void {
  changeProfiles(env, (stored) => {
    if (name !== undefined) rejectUnknownProfile(name, stored);
    return { selected: name, profiles: stored.profiles };
  });
}

function displayedValue(setting: Setting<unknown>, userSettings: ResolvedSettings): SettingValue<unknown> {
  const key = setting.flag.name;
  if (key === 'base-url') return userSettings.baseUrl;
  const { value, source } = userSettings.get(setting);
  if (key === 'profile') return { value: userSettings.profile, source };
  if (source === 'default') return { value: setting.defaultText ?? '', source };
  return { value: key === 'timeout' ? `${Number(value) / 1000}s` : value, source };
}

function unknownSetting(key: string, keys: readonly string[]): UsageError {
  return new UsageError(`There is no setting '${key}'.`, suggestion(key, keys));
}
