// The browser features that the site's Permissions Policy denies: gateway/crates/web/src/security_headers.rs.
import type { BrowserFeature } from "../build/policy.js";
import { keyOf, nameOf, nodeAt, nodesAt, type Constants, type SyntaxNode } from "./syntax.js";

/** A call that the browser rejects. */
export interface DeniedFeature {
  readonly feature: BrowserFeature;
  /** Present if only some arguments of the call need the feature, and these are unknown. */
  readonly severity?: "warning";
}

/** The functions and classes that need a feature, by the end of their name. */
const CALLS: readonly (readonly [BrowserFeature, RegExp])[] = [
  ["accelerometer", /(^|\.)(Accelerometer|GravitySensor|LinearAccelerationSensor)$/],
  ["display-capture", /(^|\.)getDisplayMedia$/],
  ["encrypted-media", /(^|\.)requestMediaKeySystemAccess$/],
  ["fullscreen", /\.(r|webkitR)equestFull[sS]creen$/],
  ["geolocation", /(^|\.)geolocation\.(getCurrentPosition|watchPosition)$/],
  ["gyroscope", /(^|\.)Gyroscope$/],
  ["hid", /(^|\.)navigator\.hid\.(getDevices|requestDevice)$/],
  ["idle-detection", /(^|\.)IdleDetector(\.requestPermission)?$/],
  ["magnetometer", /(^|\.)Magnetometer$/],
  ["midi", /(^|\.)requestMIDIAccess$/],
  ["payment", /(^|\.)PaymentRequest$/],
  ["picture-in-picture", /\.requestPictureInPicture$/],
  ["screen-wake-lock", /(^|\.)wakeLock\.request$/],
  ["serial", /(^|\.)navigator\.serial\.(getPorts|requestPort)$/],
  ["usb", /(^|\.)navigator\.usb\.(getDevices|requestDevice)$/],
  ["xr-spatial-tracking", /(^|\.)xr\.requestSession$/],
];

/** The features of the properties of a call's options. */
const OPTIONS: readonly (readonly [call: RegExp, Readonly<Record<string, BrowserFeature>>])[] = [
  [/(^|\.)getUserMedia$/, { video: "camera", audio: "microphone" }],
  [/(^|\.)navigator\.credentials\.get$/, { publicKey: "publickey-credentials-get" }],
];

/** Returns the features that a call of a function or a class of this name needs. */
export function deniedFeatures(name: string, call: SyntaxNode, constants?: Constants): DeniedFeature[] {
  const certain = CALLS.filter(([, pattern]) => pattern.test(name)).map(([feature]) => ({ feature }));
  const [argument] = nodesAt(call, "arguments");
  const options = constants?.get(nameOf(argument)) ?? argument;
  const byOptions = OPTIONS.filter(([pattern]) => pattern.test(name)).flatMap(([, features]) =>
    Object.entries(features).flatMap(([key, feature]) => withOption(options, key, feature)),
  );
  return [...certain, ...byOptions];
}

/** Returns the feature if the options of a call have this property, as far as the module says. */
function withOption(options: SyntaxNode | undefined, key: string, feature: BrowserFeature): DeniedFeature[] {
  const properties = nodesAt(options, "properties");
  const isKnown = options?.type === "ObjectExpression" && properties.every((property) => keyOf(property) !== "");
  if (!isKnown) return [{ feature, severity: "warning" }];
  const value = nodeAt(
    properties.find((property) => keyOf(property) === key),
    "value",
  );
  return value && value.value !== false ? [{ feature }] : [];
}
