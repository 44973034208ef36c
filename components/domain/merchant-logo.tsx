/** The picture of a merchant as customers see it; `logo` is its `data:` address. */
export function MerchantLogo({ logo, label }: { logo: string; label: string }) {
  // biome-ignore lint/performance/noImgElement: a few kilobytes in the page itself, which nothing has to optimise
  return <img src={logo} alt={label} className="inline-block h-8 max-w-32 rounded-sm bg-white object-contain" />
}
