//! Whole numbers divided so that their parts add up again.

/// Divides `total` in proportion to `weights`, without rest: what rounding leaves goes to the largest remainders. Without
/// any weight the first part gets it all.
pub fn divide(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == u128::from(total) {
        return weights.to_vec();
    }
    if sum == 0 {
        let first = std::iter::once(total).take(weights.len());
        return first.chain(std::iter::repeat(0)).take(weights.len()).collect();
    }
    let share = |weight: u64| u128::from(weight) * u128::from(total);
    let mut parts: Vec<u64> = weights.iter().map(|&weight| (share(weight) / sum) as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(share(weights[index]) % sum));
    let left = total - parts.iter().sum::<u64>();
    for &index in order.iter().take(left as usize) {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_division_adds_up_and_keeps_proportions() {
        assert_eq!(divide(10, &[3, 7]), [3, 7]);
        assert_eq!(divide(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(divide(1_000_001, &[900, 90, 10]), [900_001, 90_000, 10_000]);
        assert_eq!(divide(5, &[0, 0]), [5, 0]);
        assert_eq!(divide(5, &[]), [0; 0]);
        assert_eq!(divide(u64::MAX, &[u64::MAX / 2, u64::MAX / 2]).iter().sum::<u64>(), u64::MAX);
    }
}
