/** The wallet that operations 19 and 20 mean; SPOT where they do not say. */
export function walletOf(accountType: 'SPOT' | 'FUND' | undefined): 'spot' | 'funding' {
  return accountType === 'FUND' ? 'funding' : 'spot';
}
