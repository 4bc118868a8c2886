import { chromium, type Browser } from 'playwright-core';

/**
 * What a browser does for people in front of it, and pages of tests only wait for: suggestions for the address bar are a page of
 * their own in each window, a process is held ready for the next. The last such list counts, so that it repeats what playwright-core
 * leaves out and matters here: anything that asks other servers.
 */
const LEFT_OUT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'],
  ...[
    'SpareRendererForSitePerProcess',
    'AimEnabled',
    'PreconnectToSearch',
    'OptimizationHints',
    'MediaRouter',
    'LensOverlay',
  ],
  ...['NetworkTimeServiceQuerying', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'DestroyProfileOnBrowserClose', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
];
const LAUNCHED_WITH = [
  '--no-sandbox',
  `--disable-features=${LEFT_OUT.join()}`,
  // Pages of tests live for seconds: code that is optimized is not used any more.
  '--js-flags=--no-opt --no-maglev',
];

/** Starts a browser for pages of tests. @param executablePath where chromium is; `undefined` where there is none. */
export async function launchChromium(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no chromium on the PATH');
  return chromium.launch({ executablePath, args: LAUNCHED_WITH });
}
